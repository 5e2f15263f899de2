import Cards
import Ledger
public import TapcardDomain

extension Station {
    /// Refuses an amount that no payment may have here.
    public func requirePayable(_ amount: Money) throws(TapcardError) {
        try limits.requirePositive(amount)
        try limits.requireUnderCeilings(.pay(amount))
    }

    /// Reads a card without the ledger. Nothing is written to it. A chip that cannot prove that it
    /// is the card of the snapshot with its number is a copy.
    package func lookWithoutLedger(
        only card: CardUID? = nil, knowing snapshot: CardSnapshot? = nil
    ) async throws(TapcardError) -> UnconfirmedCard {
        var alone = withoutLedger
        alone.snapshot = snapshot
        return try await ReadOfflineCard(card: card).run(at: alone)
    }

    /// The refusal of an id under which the journal has another payment.
    package func otherRequest(_ line: JournalLine) -> TapcardError {
        answering.mismatch(
            Operation(
                id: line.id, uid: line.uid, kind: .offline, amount: line.amount,
                begunAt: line.at))
    }

    /// The answer to a payment that is in the station's journal. `balance` is what the card has
    /// left, as far as it is known.
    package static func receipt(
        _ line: JournalLine, in journal: OfflineJournal, balance: Money, limit: Money,
        isReplayed: Bool
    ) -> Receipt {
        let operation = Operation(
            id: line.id, uid: line.uid, kind: .offline, amount: line.amount,
            cashier: line.cashier, begunAt: line.at,
            sequence: SealedRecord(line.record)?.sequence ?? .none,
            balanceAfter: balance.minorUnits)
        return Receipt(
            operation: operation, amount: operation.change(in: journal.currency),
            balance: balance, isReplayed: isReplayed, display: .outOfDate,
            unbooked: UnbookedPayments(
                unbooked: Money(minorUnits: journal.sum(), journal.currency), limit: limit))
    }
}

/// One look at a card whose ledger cannot be asked.
private struct ReadOfflineCard: TapUseCase {
    var tap = Tap()
    let card: CardUID?

    func examine(_ reading: CardReading, at station: Station) -> Decision<UnconfirmedCard> {
        let bytes = reading.slots.best.map { reading.slots.bytes[$0.place] }
        return .done(UnconfirmedCard(uid: reading.uid, chip: reading.chip, record: bytes))
    }

    func carryOut(
        on reading: CardReading, at station: Station
    ) -> Decision<UnconfirmedCard> { .readAgain }
}
