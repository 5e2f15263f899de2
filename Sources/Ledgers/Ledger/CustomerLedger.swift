package import TapcardDomain

/// What the customer page can do with the ledger: read a card's balance and activity, and store the
/// card's read counter. The ledger itself is private, so the page can do nothing else with it.
package struct CustomerLedger: Sendable {
    private let ledger: any LedgerStore

    package init(_ ledger: any LedgerStore) { self.ledger = ledger }

    package var currency: Currency { ledger.currency }

    /// The balance and movements of a card; nil if this ledger does not know the card.
    package func statement(
        of uid: CardUID, at now: Timestamp
    ) async throws(LedgerError) -> CardStatement? {
        let (currency, asOf) = (ledger.currency, ledger.time(at: now))
        return try await ledger.read { rows throws(LedgerError) in
            guard let card = try rows.card(uid) else { return nil }
            func money(_ amount: Int64) -> Money { Money(minorUnits: amount, currency) }
            let operations = try rows.operations(on: uid, last: CardStatement.searched)
            // After a reissue, the new cardholder must not see what an earlier one did.
            let making = operations.lastIndex { $0.kind.makesCard && $0.state == .committed }
            var movements: [CardStatement.Movement] = []
            for operation in operations[(making ?? 0)...].reversed()
            where operation.state == .committed {
                guard movements.count < CardStatement.maximumMovements else { break }
                let amount = try rows.change(of: card.purse, by: operation, in: currency)
                guard amount != 0 else { continue }
                movements.append(
                    CardStatement.Movement(
                        kind: operation.kind, amount: money(amount), at: operation.beganAt))
            }
            // A card has at most one open operation.
            let open = operations.last { $0.state == .pending }
            return CardStatement(
                account: card.purse, status: card.status,
                balance: money(try rows.balance(of: card.purse)),
                held: money(open?.held ?? 0), movements: movements, asOf: asOf,
                lastShown: try rows.readCounter(of: uid))
        }
    }

    /// Stores the read counter of a card that this ledger knows. Returns false if this value or
    /// a higher one is already stored. If several servers store the same value, only one gets true.
    package func raise(
        _ counter: ReadCounter, of uid: CardUID
    ) async throws(LedgerError) -> Bool {
        try await ledger.write { rows throws(LedgerError) in try rows.raise(counter, of: uid) }
    }
}

/// A card's balance and latest movements, as shown to the cardholder.
package struct CardStatement: Hashable, Sendable {
    /// One movement of the card's money.
    package struct Movement: Hashable, Sendable {
        package let kind: Operation.Kind
        /// Negative for money taken off the card.
        package let amount: Money
        package let at: Timestamp

        package init(kind: Operation.Kind, amount: Money, at: Timestamp) {
            (self.kind, self.amount, self.at) = (kind, amount, at)
        }
    }

    /// The maximum number of movements in a statement.
    package static let maximumMovements = 10
    /// How many operations are searched for movements: more than are shown, because some operations
    /// move no money.
    static let searched = 40

    /// The card's account; a reissue opens a new one.
    package let account: Account
    package let status: LedgerCard.Status
    package let balance: Money
    /// The part of the balance that an unfinished payment holds.
    package let held: Money
    /// The movements, newest first.
    package let movements: [Movement]
    /// The ledger's time when this statement was made.
    package let asOf: Timestamp
    /// The card's read counter when its page was last shown; nil if it never was.
    package let lastShown: ReadCounter?
}

extension LedgerRows {
    /// The amount that an operation added to this account.
    fileprivate func change(
        of account: Account, by operation: Operation, in currency: Currency
    ) throws(LedgerError) -> Int64 {
        // For these two kinds, the operation's row does not say by how much this account
        // changed. Reading the entries may take a round trip, so other kinds skip that.
        guard operation.kind == .replace || operation.kind == .offline else {
            return operation.change(in: currency).minorUnits
        }
        return try entries(of: operation.id).filter { $0.account == account }
            .reduce(0) { $0 + $1.amount }
    }
}
