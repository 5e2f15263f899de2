public import TapcardDomain

/// What a check of the whole ledger found.
public struct AuditReport: Hashable, Sendable {
    public let cards: Int
    public let operations: Int
    /// Operations that the next tap of their card will settle.
    public let open: Int
    /// Cards in use for whose code the service was asked and has not answered.
    public let activating: [CardUID]
    /// Each names the invariant and the row that breaks it; empty when all is well.
    public let violations: [String]
}

extension LedgerStore {
    /// Checks the invariants over every row, from the entries up.
    public func audit() async throws(LedgerError) -> AuditReport {
        try await read { rows throws(LedgerError) in
            let ledger = try AuditedLedger(rows)
            var violations = try ledger.money()
            for operation in ledger.operations { violations += ledger.ends(of: operation) }
            let open = Dictionary(
                grouping: ledger.operations.filter { $0.state == .pending }, by: \.uid)
            for card in ledger.cards {
                violations += AuditedLedger.numbers(
                    card, try rows.issuedRecords(on: card.uid), try rows.gaps(on: card.uid))
                violations += AuditedLedger.open(
                    open[card.uid] ?? [], card, balance: try rows.balance(of: card.purse))
            }
            violations += try ledger.bookings()
            violations += ledger.cardsAndTheirRows()
            violations += ledger.traces.violations
            violations += try ledger.tickets()
            violations += ledger.activations()
            return AuditReport(
                cards: ledger.cards.count, operations: ledger.operations.count,
                open: open.values.reduce(0) { $0 + $1.count },
                activating: try ledger.activating(), violations: violations)
        }
    }
}

/// All that the rules of the audit look at, read once. Each rule is a function from it to
/// complaints; those of bookings, tickets and activations have files of their own.
struct AuditedLedger {
    let rows: any LedgerRows
    let cards: [LedgerCard]
    /// Oldest first.
    let operations: [Operation]
    let entries: [OperationID: [Entry]]
    let sold: [SoldTicket]
    let attempts: [ActivationAttempt]
    let traces: CardTraces

    init(_ rows: any LedgerRows) throws(LedgerError) {
        self.rows = rows
        cards = try rows.cards()
        operations = try rows.operations(on: nil)
        entries = Dictionary(grouping: try rows.entries(of: nil), by: \.operation)
        sold = try rows.tickets(on: nil)
        attempts = try rows.activations()
        traces = CardTraces(operations, entries, sold, attempts)
    }
}

/// The invariants of every ledger. Sums wrap: the rows may hold anything, and a sum that is not
/// representable is not the right one.
extension AuditedLedger {
    /// I1: the sum of all accounts is 0, every balance is the sum of its entries, and no customer
    /// has less than nothing or more than the limit.
    fileprivate func money() throws(LedgerError) -> [String] {
        var found: [String] = []
        var sums: [Account: Int64] = [:]
        for entry in entries.values.joined() { sums[entry.account, default: 0] &+= entry.amount }
        let balances = try rows.balances()
        for account in Set(sums.keys).union(balances.keys) {
            let sum = sums[account, default: 0]
            let balance = balances[account, default: 0]
            if sum != balance {
                found.append("I1: \(account) holds \(balance), its entries \(sum)")
            }
            if case .purse = account, !(0...Currency.largestBalance).contains(sum) {
                found.append("I1: \(account) holds \(sum), outside its limits")
            }
        }
        let total = balances.values.reduce(0, &+)
        if total != 0 { found.append("I1: all accounts together hold \(total), not 0") }
        return found.sorted()
    }

    /// I2: what is final has an end, and what cannot be undone was not.
    fileprivate func ends(of operation: Operation) -> [String] {
        var found: [String] = []
        if (operation.state == .pending) != (operation.endedAt == nil) {
            found.append("I2: operation \(operation.id) is \(operation.state) at an unknown time")
        }
        let mayBeVoided = operation.kind.isVoidable || operation.kind.switchesProtection
        if operation.state == .voided, !mayBeVoided {
            found.append("I2: operation \(operation.id) (\(operation.kind)) is voided, as none is")
        }
        return found
    }

    /// I4 and I5: numbers are handed out once, upwards, and confirmed only after that.
    fileprivate static func numbers(
        _ card: LedgerCard, _ issued: [IssuedRecord], _ gaps: [SequenceGap]
    ) -> [String] {
        var found: [String] = []
        if card.confirmed > card.allocated {
            found.append("I5: card \(card.uid) confirmed \(card.confirmed) of \(card.allocated)")
        }
        let numbers = issued.map(\.sequence)
        if Set(numbers).count != numbers.count {
            found.append("I5: card \(card.uid) used a number twice")
        }
        if let last = numbers.max(), last > card.allocated {
            found.append("I5: card \(card.uid) has record \(last) above \(card.allocated)")
        }
        for record in issued where gaps.contains(where: { $0.numbers.contains(record.sequence) }) {
            found.append("I4: card \(card.uid) has record \(record.sequence) in a gap")
        }
        if card.confirmed != .none, !numbers.contains(card.confirmed) {
            found.append("I4: card \(card.uid) confirmed \(card.confirmed), never issued")
        }
        return found
    }

    /// I1 and I3: one open operation at most, and it holds no more than there is.
    fileprivate static func open(
        _ open: [Operation], _ card: LedgerCard, balance: Int64
    ) -> [String] {
        var found: [String] = []
        if open.count > 1 {
            found.append("I3: card \(card.uid) has \(open.count) open operations")
        }
        let held = open.reduce(0) { $0 &+ $1.held }
        if held > balance {
            found.append("I1: card \(card.uid) holds \(held) of \(balance)")
        }
        return found
    }
}
