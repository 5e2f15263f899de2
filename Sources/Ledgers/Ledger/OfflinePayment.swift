public import TapcardDomain

/// A payment that a station accepted while the ledger was offline, as recorded in its journal.
public struct OfflinePayment: Hashable, Sendable {
    /// The request's ID.
    public let id: OperationID
    /// The card's number.
    public let uid: CardUID
    /// The chip of the card.
    public let chip: Chip
    /// The number of the customer's account on the chip at that time.
    public let account: Int
    /// The number of the record that was on the tag.
    public let sequence: SequenceNumber
    /// The amount in minor units, above 0.
    public let amount: Int64
    /// What was sold; empty if only the amount is known.
    public let lines: [SaleLine]
    /// Who took the payment, and at which till.
    public let requester: Requester
    /// The time of the payment at the station.
    public let at: Timestamp
    /// The journal that holds the payment.
    public let journal: JournalID
    /// The payment's number in the journal.
    public let number: Int64

    /// Creates a payment from a line of a station's journal.
    public init(
        id: OperationID, uid: CardUID, chip: Chip, account: Int,
        sequence: SequenceNumber, amount: Int64, lines: [SaleLine] = [],
        by requester: Requester = Requester(), at: Timestamp,
        journal: JournalID, number: Int64
    ) {
        (self.id, self.uid, self.chip) = (id, uid, chip)
        (self.account, self.sequence, self.amount) = (account, sequence, amount)
        self.lines = lines
        (self.requester, self.at, self.journal, self.number) = (requester, at, journal, number)
    }

    /// An ID under which the payment can be booked. Number 0 is the request's own ID; higher
    /// numbers give derived IDs, in case the ledger uses the lower ones for something else.
    package func bookingID(_ number: Int) -> OperationID {
        OfflinePayment.bookingID(number, of: id, amount, uid)
    }

    /// Derives an ID from the request alone, so that a payment that is in two journals is booked
    /// only once. Thanks to the digest, similar request IDs, such as those of a client that counts
    /// up, lead to different IDs.
    fileprivate static func bookingID(
        _ number: Int, of id: OperationID, _ amount: Int64, _ uid: CardUID
    ) -> OperationID {
        guard number > 0 else { return id }
        // Existing bookings are found by these IDs, so the text must never change.
        let text = "tapcard deferred \(id) \(uid) \(amount) \(number)"
        guard let derived = UniqueID(random: Array(Digest.sha256(Array(text.utf8)).prefix(16)))
        else { preconditionFailure("a digest has more than 16 bytes") }
        return derived
    }
}

/// The booking of an offline payment.
public struct BookedPayment: Hashable, Sendable {
    /// The operation that books it.
    public let operation: Operation
    /// The part that the card's balance could not cover, in minor units; 0 if the payment was
    /// booked before.
    public let shortfall: Int64
    /// Whether the payment was booked by this call rather than earlier.
    public let isNew: Bool

    fileprivate static func earlier(_ operation: Operation) -> BookedPayment {
        BookedPayment(operation: operation, shortfall: 0, isNew: false)
    }
}

extension LedgerStore {
    /// Books an offline payment, but only once. It is never refused, because the customer already
    /// has the goods: the card pays as much as its balance covers, and the issuer bears the rest.
    public func book(
        _ payment: OfflinePayment, at now: Timestamp
    ) async throws(LedgerError) -> BookedPayment {
        let currency = currency
        let footprint = Footprint(
            cards: [payment.uid], ids: [payment.bookingID(0), payment.bookingID(1)])
        return try await write(touching: footprint) { rows throws(LedgerError) in
            let booked = try Book(booking: rows, currency, at: now).book(payment)
            // This is in the same transaction, so that the journal counts every booked payment.
            try rows.note(payment, at: now)
            return booked
        }
    }
}

extension Book {
    fileprivate func book(
        _ payment: OfflinePayment
    ) throws(LedgerError) -> BookedPayment {
        let place = try rows.booking(of: payment.id, payment.amount, on: payment.uid)
        // A payment may be sent again, or be in two journals.
        if let booked = place.booked { return .earlier(booked) }
        // An identical request was begun before the outage: it is this payment, and its amount is
        // held on the card. Its number remains unconfirmed, and the next tap writes a fresh record.
        if let known = try rows.operation(payment.id), known.state == .pending,
            known.isPayment(of: payment),
            let card = try rows.card(known.uid),
            card.purse == .purse(payment.uid, payment.account)
        {
            return BookedPayment(
                operation: try complete(known, on: card), shortfall: 0, isNew: true)
        }
        let payer = try rows.payer(of: payment)
        let card = if let payer { payer } else { try substituteCard(for: payment) }
        let balance = try rows.balance(of: card.purse)
        let held = try rows.openOperation(on: card.uid)?.held ?? 0
        // Money that is held cannot be used, because the operation that holds it may still be
        // booked.
        let paid = payer == nil ? 0 : min(max(balance - held, 0), payment.amount)
        let operation = Operation(
            id: place.id, uid: card.uid, kind: .offline,
            amount: payment.amount,
            subject: card.uid == payment.uid ? nil : .tapped(payment.uid), lines: payment.lines,
            parameters: place.id == payment.id ? nil : Operation.parameters(for: payment.id),
            // A station whose clock was ahead must not date a payment in the future.
            by: payment.requester, beganAt: min(payment.at, now), state: .committed,
            endedAt: now, balanceAfter: balance - paid)
        try rows.insert(operation)
        let postings =
            Posting.move(paid, from: card.purse, to: .takings)
            + Posting.move(payment.amount - paid, from: .shortfall, to: .takings)
        for posting in postings { try post(posting, for: operation) }
        return BookedPayment(
            operation: operation, shortfall: payment.amount - paid, isNew: true)
    }

    /// The card on which a payment is booked if no card has the customer's account anymore. If the
    /// card is not in this ledger, the ledger has lost its row, and a closed card is added. The
    /// numbers on the tag are never used again, and the tag needs an operator's attention.
    private func substituteCard(for payment: OfflinePayment) throws(LedgerError) -> LedgerCard {
        if let card = try rows.card(payment.uid) { return card }
        let card = LedgerCard(
            uid: payment.uid, chip: payment.chip, status: .closed, allocated: payment.sequence)
        try rows.save(card)
        // Any number up to the one on the tag may have been used.
        if let first = SequenceNumber.none.next(), first <= payment.sequence {
            try rows.insert(SequenceGap(uid: card.uid, numbers: first...payment.sequence))
        }
        return card
    }
}

extension LedgerRows {
    /// The outcome of the request with this ID. If its payment was voided, the payment may still
    /// have been accepted offline; in that case, the outcome is the booking.
    func answer(to id: OperationID) throws(LedgerError) -> Operation? {
        let known = try operation(id)
        guard let known, known.kind == .pay, known.state == .voided else { return known }
        return try booking(of: id, known.amount, on: known.uid).booked ?? known
    }

    /// The first free ID for a payment, or the operation that books it. An ID used for something
    /// else is skipped: the customer has the goods, so the payment must not be lost.
    fileprivate func booking(
        of request: OperationID, _ amount: Int64, on uid: CardUID
    ) throws(LedgerError) -> (id: OperationID, booked: Operation?) {
        // The order is always the same, so every later attempt to book the payment finds the
        // existing booking.
        var number = 0
        while true {
            let id = OfflinePayment.bookingID(number, of: request, amount, uid)
            guard try isUsed(id) else { return (id, nil) }
            let known = try operation(id)
            var isBooked = known?.books(request, amount, on: uid) ?? false
            if SafetyRule.onlyItsOwnBooking.isDisabled { isBooked = isBooked || number > 0 }
            if isBooked, let known { return (id, known) }
            number += 1
        }
    }

    /// The card that now has the customer's account: the tapped card, or the last one that replaced
    /// it. Nil if no card has the account anymore.
    fileprivate func payer(of payment: OfflinePayment) throws(LedgerError) -> LedgerCard? {
        var purse = Account.purse(payment.uid, payment.account)
        // Altered rows may form a cycle, so the search is limited.
        for _ in 0..<maximumReplacements {
            guard let uid = purse.uid, let card = try card(uid) else { return nil }
            if card.purse == purse, card.status != .replaced { return card }
            guard let next = try successor(of: purse) else { return nil }
            purse = next
        }
        return nil
    }

    /// The part of a payment or top-up that moved between a card and the issuer.
    func amountPaid(by operation: Operation) throws(LedgerError) -> Int64 {
        guard operation.kind == .offline else { return operation.amount }
        return operation.amount - (try booked(besides: operation)).shortfall
    }
}

extension Operation {
    /// Whether this operation books the payment requested under this ID, or is that payment itself,
    /// made while the ledger was online.
    fileprivate func books(_ id: OperationID, _ amount: Int64, on uid: CardUID) -> Bool {
        state == .committed && (kind == .offline || kind == .pay && self.id == id)
            && requested == id && self.amount == amount && wasTapped(uid)
    }

    /// The ID of the request that led to this operation: the operation's own ID, unless it books a
    /// payment whose ID the ledger used for something else.
    var requested: OperationID {
        guard kind == .offline, let parameters, parameters.hasPrefix(Operation.requestMark)
        else { return id }
        return OperationID(String(parameters.dropFirst(Operation.requestMark.count))) ?? id
    }

    private static let requestMark = "request="

    fileprivate static func parameters(for request: OperationID) -> String {
        "\(requestMark)\(request)"
    }

    fileprivate func isPayment(of payment: OfflinePayment) -> Bool {
        kind == .pay && amount == payment.amount && uid == payment.uid
    }
}
