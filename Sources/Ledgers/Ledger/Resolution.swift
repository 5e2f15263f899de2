public import TapcardDomain

/// The outcome of resolving an open operation.
public enum Resolution: Hashable, Sendable {
    /// The operation is resolved in the ledger, and its record is now being written to the tag.
    case open(OpenOperation)
    /// The card has changed since its tag was read, so the tag has to be checked again.
    case changed
    /// The resolution breaks a rule.
    case refused(Refusal)
}

extension LedgerStore {
    /// Confirms that a record was written with every page acknowledged, and was read back. Only now
    /// does the operation become final.
    public func confirm(
        _ open: OpenOperation, at now: Timestamp
    ) async throws(LedgerError) -> Confirmation {
        let confirmation = try await resolve(touching: open.footprint, at: now) {
            book throws(LedgerError) -> Confirmation in
            guard let operation = try book.rows.operation(open.operation.id),
                var card = try book.rows.card(open.card.uid)
            else {
                throw LedgerError(
                    .corrupt,
                    "operation \(open.operation.id) should be in the ledger but is missing")
            }
            // An earlier attempt to confirm may have succeeded even though its response was lost.
            switch operation.state {
            case .committed: return .committed(operation)
            case .voided: return .voided(operation)
            case .pending: break
            }
            // If a later number was assigned, another station has continued with the card.
            guard card.allocated == open.content.sequence, operation.sequence == card.allocated
            else { return .superseded(operation) }
            guard book.mayBeBooked(operation, on: card) else {
                return .voided(try book.end(operation, as: .voided))
            }
            // If the key was retired while the record was being written, the card needs a fresh
            // record.
            let issued = try book.rows.issued(card.uid, card.allocated)
            guard try book.isTrusted(issued?.keyID) else { return .superseded(operation) }
            card.confirmed = max(card.confirmed, open.content.sequence)
            // If protection was being turned on or off, the tag has completed the last step.
            card.protection = card.protection.next
            return .committed(try book.complete(operation, on: card))
        }
        if case .voided(let operation) = confirmation { await remember(notDone: operation) }
        return confirmation
    }

    /// Resumes an open operation, either for a repeated request or because it can never be voided.
    /// The tag gets the operation's own record, or a fresh one if that record can no longer be
    /// used.
    public func resume(
        _ open: Operation, version: CardVersion, tagHolds best: SequenceNumber,
        sealer: RecordSealer,
        at now: Timestamp
    ) async throws(LedgerError) -> Resolution {
        try await resolve(touching: open.footprint, sealer, at: now) { book throws(LedgerError) in
            guard let known = try book.knownCard(of: open.uid), CardVersion(known) == version,
                let operation = known.open, try book.maySeal(sealer.keyID)
            else { return .changed }
            let highest = max(best, known.card.confirmed)
            let content = try book.content(of: known.card, during: operation)
            // The stored bytes may be written again only if they are the last ones made and their
            // number is higher than any on the tag.
            if operation.sequence > highest, operation.sequence == known.card.allocated,
                let issued = try book.rows.issued(open.uid, operation.sequence),
                issued.keyID == sealer.keyID,
                // The bytes differ if the cardholder's name, which the seal covers, has been
                // forgotten since.
                sealer.seal(content) == issued.bytes
            {
                return .open(
                    OpenOperation(
                        operation: operation, card: known.card, content: content,
                        record: issued.bytes, ticket: try book.ticket(of: operation)))
            }
            let fresh = try book.allocate(for: operation, on: known.card, above: highest)
            return fresh.map(Resolution.open) ?? .refused(Book.numbersExhausted)
        }
    }

    /// Records that one step of changing the tag's protection was verified, before the next step
    /// begins. Nil if another station has begun an operation since; in that case, the tag must be
    /// checked again.
    public func advanceProtection(
        of open: OpenOperation, at now: Timestamp
    ) async throws(LedgerError) -> OpenOperation? {
        try await switchProtection(of: open, at: now) { book, card throws(LedgerError) in
            card.protection = open.card.protection.next
        }
    }

    /// Records the final state of a tag whose protection can no longer be turned on or off. If
    /// `isVoided`, also voids the operation, which was meant to reach a different state. Nil if
    /// another station has begun an operation since; in that case, the tag must be checked again.
    public func endSwitching(
        of open: OpenOperation, as found: CardProtection, voiding isVoided: Bool, at now: Timestamp
    ) async throws(LedgerError) -> OpenOperation? {
        try await switchProtection(of: open, at: now) { book, card throws(LedgerError) in
            card.protection = found
            guard isVoided, let operation = try book.rows.operation(open.operation.id),
                operation.state == .pending
            else { return }
            _ = try book.end(operation, as: .voided)
        }
    }

    /// Changes the stored protection of a card that is still in the state it was in when this
    /// operation began, or one step beyond it.
    private func switchProtection(
        of open: OpenOperation, at now: Timestamp,
        _ change: @escaping @Sendable (Book, inout LedgerCard) throws(LedgerError) -> Void
    ) async throws(LedgerError) -> OpenOperation? {
        try await resolve(touching: open.footprint, at: now) { book throws(LedgerError) in
            guard var card = try book.rows.card(open.card.uid),
                card.allocated == open.content.sequence,
                // If the first response was lost, a repeated step finds the next state already
                // stored.
                [open.card.protection, open.card.protection.next].contains(card.protection)
            else { return nil }
            try change(book, &card)
            try book.rows.save(card)
            return open.protecting(card.protection)
        }
    }

    /// Ends an open payment according to what is on the tag, and begins a fresh record in the same
    /// transaction, so that a half-written record is never later mistaken for the final state.
    public func end(
        _ open: Operation, as state: Operation.State, resealWith id: OperationID,
        version: CardVersion,
        sealer: RecordSealer, by requester: Requester = Requester(), at now: Timestamp
    ) async throws(LedgerError) -> Resolution {
        var footprint = open.footprint
        footprint.ids.append(id)
        return try await resolve(touching: footprint, sealer, at: now) { book throws(LedgerError) in
            guard let known = try book.knownCard(of: open.uid), CardVersion(known) == version,
                let operation = known.open, try book.maySeal(sealer.keyID)
            else { return .changed }
            // This is checked before the payment is ended, because the fresh record needs a number.
            guard known.card.allocated.next() != nil else {
                return .refused(Book.numbersExhausted)
            }
            guard state == .committed || operation.kind.isVoidable else {
                return .refused(
                    Refusal(
                        .wrongState,
                        "this operation (\(operation.kind.rawValue)) has already happened and "
                            + "cannot be voided"))
            }
            guard try !book.rows.isUsed(id) else {
                return .refused(
                    Refusal(
                        .badIdentifier, "operation ID \(id) is already used by another operation"))
            }
            var card = known.card
            if SafetyRule.confirmedByWriting.isDisabled, state == .committed {
                card.confirmed = operation.sequence
            }
            if state == .committed, book.mayBeBooked(operation, on: card) {
                // A record on the tag proves nothing if its key has been retired.
                let issued = try book.rows.issued(card.uid, operation.sequence)
                guard try book.isTrusted(issued?.keyID) else { return .changed }
                _ = try book.complete(operation, on: card)
            } else {
                _ = try book.end(operation, as: .voided)
            }
            let beginning = try book.begin(
                Request(
                    id: id, uid: open.uid, action: .reseal(above: .none), by: requester, at: now),
                // The payment has just ended, so nothing is open anymore.
                version: CardVersion(confirmed: card.confirmed, open: nil))
            guard case .begun(let fresh) = beginning else {
                throw LedgerError(
                    .corrupt,
                    "card \(open.uid) changed while it was locked, because of a program error "
                        + "or a write by another program")
            }
            return .open(fresh)
        }
    }

    /// Voids an open payment on a card that cannot be trusted, without writing to the tag. Nil if
    /// the card has no open payment, or if another station has changed the card since its tag was
    /// checked.
    public func voidOpenPayment(
        on uid: CardUID, version: CardVersion?, at now: Timestamp
    ) async throws(LedgerError) -> Operation? {
        try await resolve(touching: Footprint(cards: [uid]), at: now) { book throws(LedgerError) in
            guard let known = try book.knownCard(of: uid), CardVersion(known) == version,
                let open = known.open,
                open.kind.isVoidable
            else { return nil }
            // Nothing was booked yet, so ending the operation releases the amount that it held.
            return try book.end(open, as: .voided)
        }
    }

    /// Records whether the pages that phones read may be weakly written or out of date.
    public func markDisplay(
        of uid: CardUID, stale: Bool
    ) async throws(LedgerError) {
        try await write(touching: Footprint(cards: [uid])) { rows throws(LedgerError) in
            // Writing the same state again would only cost a commit.
            guard var card = try rows.card(uid), card.isDisplayStale != stale else { return }
            card.isDisplayStale = stale
            try rows.save(card)
        }
    }

    /// Records a tag's actual protection if the ledger has a different state, as after a restore.
    /// False if the ledger's state has changed since; in that case, the tag must be checked again.
    public func recordProtection(
        of uid: CardUID, _ protection: CardProtection, insteadOf recorded: CardProtection
    ) async throws(LedgerError) -> Bool {
        try await write(touching: Footprint(cards: [uid])) { rows throws(LedgerError) in
            guard var card = try rows.card(uid), card.protection == recorded else { return false }
            card.protection = protection
            try rows.save(card)
            return true
        }
    }

    private func resolve<Success: Sendable>(
        touching footprint: Footprint, _ sealer: RecordSealer? = nil, at now: Timestamp,
        _ body: @escaping @Sendable (Book) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        let currency = currency
        let sealer = sealer ?? .none
        return try await write(touching: footprint) { rows throws(LedgerError) in
            try body(Book(rows: rows, currency: currency, sealer: sealer, now: now))
        }
    }
}

extension Book {
    /// Whether an open operation may still be booked. No money is taken off a card that was blocked
    /// in the meantime; no cashier has been told that the money was taken yet.
    func mayBeBooked(_ operation: Operation, on card: LedgerCard) -> Bool {
        card.status == .active || !operation.kind.isVoidable
            || SafetyRule.nothingFromBlockedCards.isDisabled
    }

    /// Whether a key has not been retired, so that its existing records are trusted.
    func isTrusted(_ keyID: UInt8?) throws(LedgerError) -> Bool {
        if SafetyRule.nothingUnderRetiredKeys.isDisabled { return true }
        return try !rows.retiredKeys().contains { $0.id == keyID }
    }

    /// Whether a key may seal a new record; all stations switch from one key to the next together.
    func maySeal(_ keyID: UInt8) throws(LedgerError) -> Bool {
        guard try isTrusted(keyID) else { return false }
        let sealing = try rows.sealingKey()
        return sealing == nil || sealing == keyID
    }

    /// Books the amount held by a voidable operation, and makes the operation final.
    func complete(
        _ operation: Operation, on card: LedgerCard
    ) throws(LedgerError) -> Operation {
        var card = card
        switch operation.kind {
        case .pay, .ticket:
            for posting in operation.payment(from: card.purse) {
                try post(posting, for: operation)
            }
        case .close:
            for posting in Posting.move(operation.amount, from: card.purse, to: .cash) {
                try post(posting, for: operation)
            }
        // Anything else was booked when it began.
        default:
            break
        }
        card.complete(operation.kind, try ticket(of: operation))
        let ended = try end(operation, as: .committed)
        try rows.save(card)
        return ended
    }
}

extension Operation {
    /// The entries of a sale: what was paid with the card, and what was paid in another way.
    func payment(from purse: Account) -> [Posting] {
        Posting.move(amount, from: purse, to: .takings)
            + (rest.map { Posting.move($0.amount, from: Account($0.tender), to: .takings) } ?? [])
    }
}
