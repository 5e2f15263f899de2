public import TapcardDomain

extension LedgerStore {
    /// The outcome of an earlier request with this ID, for any card; nil if the ID is new.
    public func earlierOutcome(
        of action: CardAction, _ id: OperationID
    ) async throws(LedgerError) -> BeginOutcome? {
        try await earlierOutcome(of: action, id, besides: nil).earlier
    }

    /// The outcome of an earlier request with this ID, for any card, and what the ledger knows
    /// about the card `uid`. A ledger on another machine needs only one query for both.
    package func earlierOutcome(
        of action: CardAction, _ id: OperationID, besides uid: CardUID?
    ) async throws(LedgerError) -> (earlier: BeginOutcome?, card: KnownCard?) {
        let currency = currency
        let footprint = Footprint(cards: uid.map { [$0] } ?? [], ids: [id])
        let found: (earlier: BeginOutcome?, card: KnownCard?) = try await read(
            touching: footprint
        ) { rows throws(LedgerError) in
            (
                try Book(reading: rows, currency).earlierOutcome(of: action, id, on: nil),
                try uid.flatMap { uid throws(LedgerError) in
                    try rows.knownCard(of: uid, holding: [], currency)
                }
            )
        }
        if let earlier = found.earlier { await remember(earlier) }
        return found
    }
}
