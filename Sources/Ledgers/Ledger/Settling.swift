public import TapcardDomain

/// How an attempt to settle went.
public enum Settlement: Hashable, Sendable {
    /// The ledger is settled; this goes onto the tag now.
    case work(OpenWork)
    /// The card is not as it was seen: judge it again.
    case changed
    case refused(Refusal)
}

extension LedgerStore {
    /// Records that a record was written, every page acknowledged, and read back. Only now has
    /// the change happened.
    public func confirm(
        _ work: OpenWork, at now: Timestamp
    ) async throws(LedgerError) -> Confirmation {
        try await settle(at: now) { book throws(LedgerError) in
            guard let operation = try book.rows.operation(work.operation.id),
                var card = try book.rows.card(work.card.uid)
            else { throw LedgerError(.corrupt, "operation \(work.operation.id) has vanished") }
            switch operation.state {
            case .committed: return .committed(operation)
            case .voided: return .voided(operation)
            case .pending: break
            }
            guard card.allocated == work.content.sequence, operation.sequence == card.allocated
            else { return .superseded(operation) }
            guard book.mayBeBooked(operation, on: card) else {
                return .voided(try book.end(operation, as: .voided))
            }
            // The key was given up while the card was written to: it gets a fresh record.
            let issued = try book.rows.issued(card.uid, card.allocated)
            guard try book.isTrusted(issued?.keyID) else { return .superseded(operation) }
            card.confirmed = max(card.confirmed, work.content.sequence)
            // What was left to do on the tag has been done.
            card.protection = card.protection.next
            return .committed(try book.complete(operation, on: card))
        }
    }

    /// The same request came again, or something that is never undone was left open: its own
    /// record goes onto the tag, or a fresh one when that could be mistaken for another.
    public func resume(
        _ open: Operation, seen: Seen, tagHolds best: SequenceNumber, sealer: RecordSealer,
        at now: Timestamp
    ) async throws(LedgerError) -> Settlement {
        try await settle(sealer, at: now) { book throws(LedgerError) in
            guard let view = try book.view(of: open.uid), Seen(view) == seen,
                let operation = view.open, try book.isTrusted(sealer.keyID)
            else { return .changed }
            let highest = max(best, view.card.confirmed)
            let content = try book.content(of: view.card, during: operation)
            if operation.sequence > highest, operation.sequence == view.card.allocated,
                let issued = try book.rows.issued(open.uid, operation.sequence),
                sealer.keyOf(issued.bytes) == sealer.keyID,
                // A name that was forgotten meanwhile is under the old seal.
                sealer.seal(content) == issued.bytes
            {
                return .work(
                    OpenWork(
                        operation: operation, card: view.card, content: content,
                        record: issued.bytes, ticket: try book.ticket(of: operation)))
            }
            let work = try book.allocate(for: operation, on: view.card, above: highest)
            return work.map(Settlement.work) ?? .refused(Book.numbersExhausted)
        }
    }

    /// Records that the tag has proved one step of its protection, before the next is taken. Nil
    /// where another station has begun anew meanwhile: the tag is judged again.
    public func advanceProtection(
        of work: OpenWork, at now: Timestamp
    ) async throws(LedgerError) -> OpenWork? {
        try await switchProtection(of: work, at: now) { book, card throws(LedgerError) in
            card.protection = work.card.protection.next
        }
    }

    /// Records that a tag's protection can never be switched again, and as what it stays. An
    /// operation that was about nothing else, and wanted it otherwise, has not happened. Nil where
    /// another station has begun anew meanwhile: the tag is judged again.
    public func endSwitching(
        of work: OpenWork, as found: CardProtection, voiding isVoided: Bool, at now: Timestamp
    ) async throws(LedgerError) -> OpenWork? {
        try await switchProtection(of: work, at: now) { book, card throws(LedgerError) in
            card.protection = found
            guard isVoided, let open = try book.rows.operation(work.operation.id),
                open.state == .pending
            else { return }
            _ = try book.end(open, as: .voided)
        }
    }

    /// Changes what the ledger has of the protection of a card that is as it was when this work
    /// began, or a step further.
    private func switchProtection(
        of work: OpenWork, at now: Timestamp,
        _ change: @escaping @Sendable (Book, inout LedgerCard) throws(LedgerError) -> Void
    ) async throws(LedgerError) -> OpenWork? {
        try await settle(at: now) { book throws(LedgerError) in
            guard var card = try book.rows.card(work.card.uid),
                card.allocated == work.content.sequence,
                [work.card.protection, work.card.protection.next].contains(card.protection)
            else { return nil }
            try change(book, &card)
            try book.rows.save(card)
            return work.protecting(card.protection)
        }
    }

    /// Ends an open payment the way the tag tells, and begins a fresh record in the same
    /// transaction: what is half on the tag must never be taken for the last word later.
    public func end(
        _ open: Operation, as state: Operation.State, resealWith id: OperationID, seen: Seen,
        sealer: RecordSealer, by cashier: CashierName? = nil, at now: Timestamp
    ) async throws(LedgerError) -> Settlement {
        try await settle(sealer, at: now) { book throws(LedgerError) in
            guard let view = try book.view(of: open.uid), Seen(view) == seen,
                let operation = view.open, try book.isTrusted(sealer.keyID)
            else { return .changed }
            guard view.card.allocated.next() != nil else {
                return .refused(Book.numbersExhausted)
            }
            guard state == .committed || operation.kind.isVoidable else {
                return .refused(
                    Refusal(
                        .wrongState,
                        "a \(operation.kind.rawValue) has happened already and cannot be undone"))
            }
            guard try !book.rows.isUsed(id) else {
                return .refused(Refusal(.badIdentifier, "operation \(id) was another one before"))
            }
            #if LEAVE_RULES_OUT
            var card = view.card
            if LeftOutRule.current == .confirmedByWriting, state == .committed {
                card.confirmed = operation.sequence
            }
            #else
            let card = view.card
            #endif
            if state == .committed, book.mayBeBooked(operation, on: card) {
                // What the tag proves, it proves with a key.
                let issued = try book.rows.issued(card.uid, operation.sequence)
                guard try book.isTrusted(issued.flatMap { sealer.keyOf($0.bytes) }) else {
                    return .changed
                }
                _ = try book.complete(operation, on: card)
            } else {
                _ = try book.end(operation, as: .voided)
            }
            let beginning = try book.begin(
                Request(
                    id: id, uid: open.uid, intent: .reseal(above: .none), by: cashier, at: now),
                seen: Seen(confirmed: card.confirmed, open: nil))
            guard case .begun(let work) = beginning else {
                throw LedgerError(.corrupt, "card \(open.uid) changed while it was locked")
            }
            return .work(work)
        }
    }

    /// Voids an open payment on a card that cannot be trusted; nothing is written to the tag.
    /// Not where another station has worked on the card since it was seen.
    public func voidOpenPayment(
        on uid: CardUID, seen: Seen?, at now: Timestamp
    ) async throws(LedgerError) -> Operation? {
        try await settle(at: now) { book throws(LedgerError) in
            guard let view = try book.view(of: uid), Seen(view) == seen, let open = view.open,
                open.kind.isVoidable
            else { return nil }
            return try book.end(open, as: .voided)
        }
    }

    /// Notes that what phones read may be weak or old, or that it is good again.
    public func markDisplay(
        of uid: CardUID, stale: Bool
    ) async throws(LedgerError) {
        try await write { rows throws(LedgerError) in
            guard var card = try rows.card(uid), card.isDisplayStale != stale else { return }
            card.isDisplayStale = stale
            try rows.save(card)
        }
    }

    /// Notes what a tag was found to be where the ledger had it otherwise, as after a restored
    /// backup. False where it has something else meanwhile: the tag is judged again.
    public func noteProtection(
        of uid: CardUID, _ protection: CardProtection, insteadOf noted: CardProtection
    ) async throws(LedgerError) -> Bool {
        try await write { rows throws(LedgerError) in
            guard var card = try rows.card(uid), card.protection == noted else { return false }
            card.protection = protection
            try rows.save(card)
            return true
        }
    }

    private func settle<Success: Sendable>(
        _ sealer: RecordSealer? = nil, at now: Timestamp,
        _ body: @escaping @Sendable (Book) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        let currency = currency
        let sealer = sealer ?? .none
        return try await write { rows throws(LedgerError) in
            try body(Book(rows: rows, currency: currency, sealer: sealer, now: now))
        }
    }
}

extension Book {
    /// Whether an open operation may still become final: no money leaves a card that was blocked
    /// since, because nobody was told that it had.
    func mayBeBooked(_ operation: Operation, on card: LedgerCard) -> Bool {
        #if LEAVE_RULES_OUT
        if LeftOutRule.current == .nothingFromBlockedCards { return true }
        #endif
        return card.status == .active || !operation.kind.isVoidable
    }

    /// Whether a key may seal, and vouch for what was sealed. A record from before version 8 does not
    /// say which key made it.
    func isTrusted(_ keyID: UInt8?) throws(LedgerError) -> Bool {
        #if LEAVE_RULES_OUT
        if LeftOutRule.current == .nothingUnderRetiredKeys { return true }
        #endif
        return try !rows.retiredKeys().contains { $0.id == keyID }
    }

    /// Books what a voidable operation only held, and makes it final.
    func complete(
        _ operation: Operation, on card: LedgerCard
    ) throws(LedgerError) -> Operation {
        var card = card
        switch operation.kind {
        case .pay, .ticket:
            for posting in Posting.move(operation.amount, from: card.purse, to: .takings) {
                try post(posting, for: operation)
            }
        case .close:
            for posting in Posting.move(operation.amount, from: card.purse, to: .cash) {
                try post(posting, for: operation)
            }
        default:
            break
        }
        card.complete(operation.kind, try ticket(of: operation))
        let ended = try end(operation, as: .committed)
        try rows.save(card)
        return ended
    }
}
