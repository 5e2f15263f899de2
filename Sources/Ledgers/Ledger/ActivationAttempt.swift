public import TapcardDomain

/// One attempt to have the service activate a scratched code. It is stored before the service is
/// called.
///
/// Until a response is recorded, the service may or may not have activated the code. The request
/// is therefore retried with the same code, which is the idempotency key.
public struct ActivationAttempt: Hashable, Identifiable, Sendable {
    /// The state of an attempt. Only the first response is recorded.
    public enum State: String, Sendable, CaseIterable {
        /// No response from the service is recorded yet.
        case requested
        /// The service has activated the code.
        case active
        /// The service has rejected the code.
        case rejected
    }

    /// The ID of the attempt, and later of the operation that writes the approval to the card.
    public let id: OperationID
    /// The card that had the code when activation was requested.
    public let card: CardUID
    /// The code that the service was asked to activate.
    public let code: ScratchCode
    /// The time of the request.
    public let requestedAt: Timestamp
    /// The state of the attempt.
    public var state: State
    /// The time of the response; nil if there is none yet.
    public var answeredAt: Timestamp?
    /// The version that the service reported when it rejected the code.
    public var version: String?

    /// Creates an attempt.
    public init(
        id: OperationID, card: CardUID, code: ScratchCode, requestedAt: Timestamp,
        state: State = .requested, answeredAt: Timestamp? = nil, version: String? = nil
    ) {
        self.id = id
        self.card = card
        self.code = code
        self.requestedAt = requestedAt
        self.state = state
        self.answeredAt = answeredAt
        self.version = version
    }

    /// The attempt as an operation, for a client that asks what this ID was used for.
    public var operation: Operation {
        Operation(id: id, uid: card, kind: .activate, beganAt: requestedAt)
    }
}

/// The ledger's response to an activation request.
public enum ActivationRequest: Hashable, Sendable {
    /// The attempt, durably stored. If no response is recorded for it yet, the service can be
    /// called. If an earlier attempt for the code is still open, this is that attempt.
    case attempt(ActivationAttempt)
    /// The operation for this request already exists.
    case known(Operation)
    /// The ID was already used for a different request.
    case mismatched(Operation)
    /// The card has changed since its tag was read, so the tag has to be checked again.
    case changed
    /// The request breaks a rule, so the service is not called.
    case refused(Refusal)
}

extension LedgerStore {
    /// Stores an attempt before the service is called, or returns the one that is already open.
    public func requestActivation(
        of uid: CardUID, id: OperationID, version: CardVersion,
        by requester: Requester = Requester(),
        at now: Timestamp
    ) async throws(LedgerError) -> ActivationRequest {
        let currency = currency
        return try await write { rows throws(LedgerError) in
            let requestID = id
            // A retry may carry an ID that an earlier call used to ask about an existing attempt.
            let id = try rows.attempt(forRequest: requestID)
            let known = try rows.activation(id)
            // The activation has begun on the card, or the ID belongs to another operation.
            if let operation = try rows.operation(id) {
                return operation.kind == .activate && operation.uid == uid
                    ? .known(operation) : .mismatched(operation)
            }
            // Only the first response counts, so retrying a rejected attempt does not call the
            // service again.
            if let known, known.state == .rejected {
                return known.card == uid ? .attempt(known) : .mismatched(known.operation)
            }
            guard let knownCard = try Book(reading: rows, currency).knownCard(of: uid),
                CardVersion(knownCard) == version,
                knownCard.open == nil
            else { return .changed }
            // The ID belongs to an attempt that does not concern the code now on this card.
            if let known, knownCard.activation != known { return .mismatched(known.operation) }
            do throws(Refusal) {
                try knownCard.card.requireActive()
                _ = try knownCard.card.scratch.activating()
            } catch {
                return .refused(error)
            }
            // While an attempt is open, every request for the code joins it, so that the code is
            // activated only once.
            if let open = knownCard.activation {
                if open.id != id {
                    try rows.link(
                        requestID, to: open.id, of: knownCard.card, by: requester, at: now)
                }
                return .attempt(open)
            }
            guard let code = knownCard.card.scratch.code else { return .changed }
            // If one card is a copy of another, the service cannot tell the two apart.
            if let twin = try rows.twin(of: knownCard.card) {
                return .refused(
                    Refusal(
                        .wrongState,
                        "card \(twin) has the same activation code, so one of the two is a copy; "
                            + "close the copy first"))
            }
            // The code was copied to this card after activation was requested for another card.
            if let other = try rows.activation(of: code) {
                return .refused(
                    Refusal(
                        .wrongState,
                        "card \(uid)'s code was already sent to the service for card "
                            + "\(other.card)"))
            }
            let attempt = ActivationAttempt(id: id, card: uid, code: code, requestedAt: now)
            try rows.insert(attempt)
            return .attempt(attempt)
        }
    }

    /// The ID of the attempt for a request: the ID of the existing attempt that the request is
    /// linked to, or else the request's own ID.
    public func attempt(
        forRequest id: OperationID
    ) async throws(LedgerError) -> OperationID {
        try await read { rows throws(LedgerError) in try rows.attempt(forRequest: id) }
    }

    /// Links a request's ID to the existing attempt that the request asked about, so that a retry
    /// gets the same result.
    public func keep(
        _ id: OperationID, for attempt: OperationID, of uid: CardUID,
        by requester: Requester = Requester(), at now: Timestamp
    ) async throws(LedgerError) {
        try await write { rows throws(LedgerError) in
            // An ID that is already in use is not linked.
            guard try rows.operation(id) == nil, try rows.activation(id) == nil,
                let card = try rows.card(uid)
            else { return }
            try rows.link(id, to: attempt, of: card, by: requester, at: now)
        }
    }

    /// Stores the service's response before an approval is written to a tag. Only the first
    /// response counts. Returns the attempt as stored; nil if it is not in this ledger.
    public func recordActivation(
        _ id: OperationID, rejectedBy version: String?, at now: Timestamp
    ) async throws(LedgerError) -> ActivationAttempt? {
        try await write { rows throws(LedgerError) in
            // Another station may have recorded a response first.
            guard var attempt = try rows.activation(id), attempt.state == .requested else {
                return try rows.activation(id)
            }
            attempt.state = version == nil ? .active : .rejected
            attempt.answeredAt = now
            attempt.version = version
            try rows.update(attempt)
            return attempt
        }
    }

    /// The attempt with this ID; nil if there is none.
    public func activation(
        _ id: OperationID
    ) async throws(LedgerError) -> ActivationAttempt? {
        try await read { rows throws(LedgerError) in try rows.activation(id) }
    }
}

extension LedgerRows {
    fileprivate func attempt(
        forRequest id: OperationID
    ) throws(LedgerError) -> OperationID {
        guard case .attempt(let attempt) = try operation(id)?.subject else { return id }
        return attempt
    }

    fileprivate func link(
        _ id: OperationID, to attempt: OperationID, of card: LedgerCard,
        by requester: Requester, at now: Timestamp
    ) throws(LedgerError) {
        try insert(
            Operation(
                id: id, uid: card.uid, kind: .ask, subject: .attempt(attempt),
                by: requester, beganAt: now, state: .committed, endedAt: now,
                balanceAfter: try balance(of: card.purse)))
    }

    /// Another card that has this code, or had it when its activation was requested.
    func owner(
        of code: ScratchCode, beside uid: CardUID
    ) throws(LedgerError) -> CardUID? {
        if let card = try cards(with: code).first(where: { $0.uid != uid }) { return card.uid }
        guard let attempt = try activation(of: code), attempt.card != uid else { return nil }
        return attempt.card
    }

    /// Another active or blocked card with this card's code; closed and replaced cards do not
    /// count.
    fileprivate func twin(of card: LedgerCard) throws(LedgerError) -> CardUID? {
        guard let code = card.scratch.code else { return nil }
        return try cards(with: code).first { $0.uid != card.uid && $0.isInUse }?.uid
    }

    /// The attempt to activate the scratched code on an active or blocked card; nil once the card's
    /// code is activated.
    func activation(on card: LedgerCard) throws(LedgerError) -> ActivationAttempt? {
        guard card.isInUse,
            case .scratched(let code) = card.scratch
        else { return nil }
        // The code may have been copied, so the attempt's card must be this one or one it replaced.
        guard let attempt = try activation(of: code),
            try isSameOrReplacement(card, of: attempt.card)
        else {
            return nil
        }
        return attempt
    }
}
