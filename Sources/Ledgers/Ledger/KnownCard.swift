public import TapcardDomain

/// What the ledger knows about a card and the records found on its tag, at one point in time.
public struct KnownCard: Sendable, Hashable {
    /// The ledger's row for the card.
    public let card: LedgerCard
    /// The balance that the ledger has booked.
    public let balance: Money
    /// The operation that is open on the card; nil if there is none.
    public let open: Operation?
    /// The records made for the requested numbers, for the confirmed number, and for the last one
    /// assigned.
    public let issued: [SequenceNumber: IssuedRecord]
    /// The ranges of numbers that a restored ledger has lost.
    public let gaps: [SequenceGap]
    /// The attempt for the card's code, if it has no response yet, or was approved but the approval
    /// is not on the card yet.
    public let activation: ActivationAttempt?
    /// The retired keys.
    public var retiredKeys: Set<UInt8> { keyPolicy.retired }
    /// The ledger's policy on keys, which is the same for all cards.
    public let keyPolicy: KeyPolicy

    /// Creates a known card.
    public init(
        card: LedgerCard, balance: Money, open: Operation?,
        issued: [SequenceNumber: IssuedRecord] = [:], gaps: [SequenceGap] = [],
        activation: ActivationAttempt? = nil, keyPolicy: KeyPolicy = KeyPolicy(retired: [])
    ) {
        self.card = card
        self.balance = balance
        self.open = open
        self.issued = issued
        self.gaps = gaps
        self.activation = activation
        self.keyPolicy = keyPolicy
    }

    /// The balance and the amount that an open payment holds; nil if they exceed the limits of a
    /// purse.
    public var purse: Purse? {
        Purse(balance: balance, held: Money(minorUnits: open?.held ?? 0, balance.currency))
    }

    /// Whether this number may have been assigned before the ledger was restored.
    public func isInGap(_ sequence: SequenceNumber) -> Bool {
        gaps.contains { $0.numbers.contains(sequence) }
    }
}

extension LedgerStore {
    /// What the ledger knows about a card, for checking its tag; nil for a card that this ledger
    /// has never seen.
    public func knownCard(
        of uid: CardUID, holding sequences: [SequenceNumber] = []
    ) async throws(LedgerError) -> KnownCard? {
        let currency = currency
        let footprint = Footprint(cards: [uid], records: sequences)
        return try await read(touching: footprint) { rows throws(LedgerError) in
            try rows.knownCard(of: uid, holding: sequences, currency)
        }
    }

    /// The card for which this ledger made a record with exactly these bytes. A tag that has these
    /// bytes but a different UID is a copy.
    public func owner(ofRecord bytes: [UInt8]) async throws(LedgerError) -> CardUID? {
        try await read { rows throws(LedgerError) in try rows.issued(as: bytes)?.uid }
    }

    /// The operation with this ID, if any.
    public func operation(_ id: OperationID) async throws(LedgerError) -> Operation? {
        try await read(touching: Footprint(ids: [id])) { rows throws(LedgerError) in
            try rows.operation(id)
        }
    }

    /// The outcome of the request with this ID: the operation with the same ID, or the booking of
    /// the offline payment that was accepted for the request.
    public func answer(to id: OperationID) async throws(LedgerError) -> Operation? {
        let answer = try await read(touching: Footprint(ids: [id])) { rows throws(LedgerError) in
            try rows.answer(to: id)
        }
        // The caller is told that the request was not done. The station remembers this for the time
        // when the ledger is offline.
        if let answer, answer.state == .voided { await remember(notDone: answer) }
        return answer
    }
}

extension LedgerRows {
    /// What is known about a card; nil for a card that this ledger has never seen.
    func knownCard(
        of uid: CardUID, holding sequences: [SequenceNumber], _ currency: Currency
    ) throws(LedgerError) -> KnownCard? {
        guard let card = try card(uid) else { return nil }
        var issued: [SequenceNumber: IssuedRecord] = [:]
        // A genuine card normally holds one of these two records, so this query is usually enough.
        // The records also show which keys an NTAG 424 has.
        let wanted = Set(sequences + [card.confirmed, card.allocated])
        for sequence in wanted { issued[sequence] = try self.issued(uid, sequence) }
        return KnownCard(
            card: card, balance: Money(minorUnits: try balance(of: card.purse), currency),
            open: try openOperation(on: uid), issued: issued, gaps: try gaps(on: uid),
            activation: try activation(on: card), keyPolicy: try keyPolicy())
    }
}
