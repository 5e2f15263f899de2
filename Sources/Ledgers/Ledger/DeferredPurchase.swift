public import TapcardDomain

/// A purchase that a station has accepted while the ledger was out of reach, as its journal has it.
public struct DeferredPurchase: Hashable, Sendable {
    /// The id of the request.
    public let id: OperationID
    /// The card's number.
    public let uid: CardUID
    /// The chip of the card.
    public let chip: Chip
    /// The number of the chip's account that the customer had then.
    public let account: Int
    /// The number of the record that was on the tag.
    public let sequence: SequenceNumber
    /// The amount in minor units, above 0.
    public let amount: Int64
    /// The cashier who took the payment; nil without a name.
    public let cashier: CashierName?
    /// The time of the payment at the station.
    public let at: Timestamp
    /// The journal that holds the purchase.
    public let journal: JournalID
    /// The running number in the journal.
    public let number: Int64

    /// Creates a purchase from a line of a station's journal.
    public init(
        id: OperationID, uid: CardUID, chip: Chip, account: Int,
        sequence: SequenceNumber, amount: Int64, cashier: CashierName? = nil, at: Timestamp,
        journal: JournalID, number: Int64
    ) {
        (self.id, self.uid, self.chip) = (id, uid, chip)
        (self.account, self.sequence, self.amount) = (account, sequence, amount)
        (self.cashier, self.at, self.journal, self.number) = (cashier, at, journal, number)
    }

    /// The id for the booking where the ledger has the request's id for something else by then.
    public var spareID: OperationID {
        DeferredPurchase.spareID(for: id, of: amount, on: uid)
    }

    /// It depends on the request alone: a purchase in two journals is still one purchase. The id of
    /// the request is random already, so that no hash is needed. The two bytes in which every id has
    /// its version take nothing of the card or the amount.
    fileprivate static func spareID(
        for id: OperationID, of amount: Int64, on uid: CardUID
    ) -> OperationID {
        let low = (0..<7).reversed().map { UInt8(truncatingIfNeeded: amount >> ($0 * 8)) }
        let mask = uid.bytes.prefix(6) + [0xD5] + uid.bytes.suffix(1) + [0x2A] + low
        guard let spare = UniqueID(random: zip(id.bytes, mask).map { $0 ^ $1 }) else {
            preconditionFailure("an id and its mask have 16 bytes")
        }
        return spare
    }
}

/// The booking of a deferred purchase.
public struct SettledPurchase: Hashable, Sendable {
    /// The operation that books the purchase.
    public let operation: Operation
    /// The part that the card could not pay, in minor units; 0 where it was booked before.
    public let shortfall: Int64
    /// Whether it was booked now, and not before.
    public let isNew: Bool

    fileprivate static func earlier(_ operation: Operation) -> SettledPurchase {
        SettledPurchase(operation: operation, shortfall: 0, isNew: false)
    }
}

extension LedgerStore {
    /// Books a deferred purchase, once. It is never refused: the goods are gone. The card pays what
    /// it has, and the house bears the rest.
    public func settle(
        _ purchase: DeferredPurchase, at now: Timestamp
    ) async throws(LedgerError) -> SettledPurchase {
        let currency = currency
        let footprint = Footprint(
            cards: [purchase.uid], ids: [purchase.id, purchase.spareID])
        return try await write(touching: footprint) { rows throws(LedgerError) in
            let settled = try Book(booking: rows, currency, at: now).settle(purchase)
            try rows.note(purchase, at: now)
            return settled
        }
    }
}

extension Book {
    fileprivate func settle(
        _ purchase: DeferredPurchase
    ) throws(LedgerError) -> SettledPurchase {
        let known = try rows.operation(purchase.id)
        if let known, known.books(purchase) {
            return .earlier(known)
        }
        if let booked = try rows.operation(purchase.spareID) {
            return .earlier(booked)
        }
        // The same request was begun before the outage and never confirmed: it is this purchase, and
        // the card holds its amount. Its number stays unconfirmed; the next tap writes a fresh one.
        if let known, known.state == .pending, known.isPayment(of: purchase),
            let card = try rows.card(known.uid),
            card.purse == .purse(purchase.uid, purchase.account)
        {
            return SettledPurchase(
                operation: try complete(known, on: card), shortfall: 0, isNew: true)
        }
        let isUsed = try rows.isUsed(purchase.id)
        let payer = try rows.payer(of: purchase)
        let card = if let payer { payer } else { try standIn(for: purchase) }
        let balance = try rows.balance(of: card.purse)
        let held = try rows.openOperation(on: card.uid)?.held ?? 0
        let paid = payer == nil ? 0 : min(max(balance - held, 0), purchase.amount)
        let operation = Operation(
            id: isUsed ? purchase.spareID : purchase.id, uid: card.uid, kind: .deferred,
            amount: purchase.amount,
            subject: card.uid == purchase.uid ? nil : .tapped(purchase.uid),
            cashier: purchase.cashier, begunAt: min(purchase.at, now), state: .committed,
            endedAt: now, balanceAfter: balance - paid)
        try rows.insert(operation)
        let postings =
            Posting.move(paid, from: card.purse, to: .takings)
            + Posting.move(purchase.amount - paid, from: .shortfall, to: .takings)
        for posting in postings { try post(posting, for: operation) }
        return SettledPurchase(
            operation: operation, shortfall: purchase.amount - paid, isNew: true)
    }

    /// The row on which a purchase is booked whose customer has no account any more. A card that
    /// this ledger does not know is one that it has lost: its numbers are never used, and its tag
    /// needs an operator.
    private func standIn(for purchase: DeferredPurchase) throws(LedgerError) -> LedgerCard {
        if let card = try rows.card(purchase.uid) { return card }
        let card = LedgerCard(
            uid: purchase.uid, chip: purchase.chip, status: .closed, allocated: purchase.sequence)
        try rows.save(card)
        if let first = SequenceNumber.none.next(), first <= purchase.sequence {
            try rows.insert(SequenceGap(uid: card.uid, numbers: first...purchase.sequence))
        }
        return card
    }
}

extension LedgerRows {
    /// The operation that answers a request with this id. A payment that was given up may have been
    /// accepted out of reach all the same: then it is that booking.
    func answer(to id: OperationID) throws(LedgerError) -> Operation? {
        let known = try operation(id)
        guard let known, known.kind == .pay, known.state == .voided else { return known }
        let spare = DeferredPurchase.spareID(for: id, of: known.amount, on: known.uid)
        return try operation(spare) ?? known
    }

    /// The card that has the customer's account now: the tapped one, or the last that replaced it.
    /// Nil where the account is gone.
    fileprivate func payer(of purchase: DeferredPurchase) throws(LedgerError) -> LedgerCard? {
        var purse = Account.purse(purchase.uid, purchase.account)
        for _ in 0..<mostReplacements {
            guard let uid = purse.uid, let card = try card(uid) else { return nil }
            if card.purse == purse, card.status != .replaced { return card }
            guard let next = try successor(of: purse) else { return nil }
            purse = next
        }
        return nil
    }

    /// The part of a payment or an addition that moved between a card and the house.
    func amountPaid(by operation: Operation) throws(LedgerError) -> Int64 {
        guard operation.kind == .deferred else { return operation.amount }
        return operation.amount - (try booked(besides: operation)).shortfall
    }
}

extension Operation {
    /// Whether this is the booking of a purchase, or of the same request when the ledger was in
    /// reach.
    fileprivate func books(_ purchase: DeferredPurchase) -> Bool {
        state == .committed && (kind == .deferred || kind == .pay) && amount == purchase.amount
            && wasTapped(purchase.uid)
    }

    fileprivate func isPayment(of purchase: DeferredPurchase) -> Bool {
        kind == .pay && amount == purchase.amount && uid == purchase.uid
    }
}
