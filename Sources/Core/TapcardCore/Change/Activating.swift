import CardStore
import Ledger
public import ServicePorts
public import TapcardDomain

extension Station {
    /// How often an answer is recorded while nobody can say whether it was.
    private static let mostRecordings = 3
    /// Longer ones are no versions.
    private static let longestVersion = 64

    /// Activates the code of the card on the reader through the service.
    ///
    /// The attempt is durable before the service is asked, the answer before the card is written.
    /// An attempt without an answer is asked about again with the same code, also under a new id,
    /// which is kept for it: asking with that once more tells the same.
    /// Leaving does not stop the request: its answer is recorded, and goes onto the card at its
    /// next tap.
    public func activate(
        id: OperationID, through service: any ActivationService
    ) async throws(TapcardError) -> Receipt {
        let id = try await whileAsking { () throws(LedgerError) in
            try await ledger.attempt(askedAboutBy: id)
        }
        if let known = try await known(id, .activate, only: nil) {
            return try await change(.activate, id: id, only: nil, known: known)
        }
        let answered = try await whileAsking { () throws(LedgerError) in
            try await ledger.activation(id)
        }
        if let answered, answered.state != .requested {
            return try await write(try accepted(answered, on: answered.card), onto: nil)
        }
        switch try await attempt(id) {
        case .done(let receipt): return receipt
        case .open(let attempt, on: let uid, let settled):
            return try await telling(settled) { () throws(TapcardError) in
                try await write(try await ask(service, attempt, on: uid), onto: uid)
            }
        }
    }

    /// What a tap with a card to be activated has led to.
    private enum Attempt: Sendable {
        case open(ActivationAttempt, on: CardUID, [Settled])
        /// The answer to an earlier attempt was recorded, and went onto the card.
        case done(Receipt)
    }

    private func attempt(_ id: OperationID) async throws(TapcardError) -> Attempt {
        try await tap(for: id, asking: Begun(.activate)) { sight, state throws(Interruption) in
            guard let seen = sight.seen else {
                throw .refused(try await strangerRefusal(sight))
            }
            if let done = state.done(.activate) {
                if done.id != id {
                    // The card has it, whether or not the id can be kept for it.
                    try? await ledger.keep(id, for: done.id, of: done.uid, by: cashier, at: now)
                }
                return .done(receipt(done, isReplayed: false, state))
            }
            let request = try await asking { () throws(LedgerError) in
                try await ledger.requestActivation(
                    of: sight.uid, id: id, seen: seen, by: cashier, at: now)
            }
            switch request {
            case .attempt(let attempt):
                return .open(attempt, on: sight.uid, settled(state, besides: attempt.id))
            case .known, .changed: return nil
            case .mismatched(let operation): throw .refused(mismatch(operation))
            case .refused(let refusal): throw .refused(TapcardError(refusal, uid: sight.uid))
            }
        }
    }

    /// Returns the attempt with a yes that is recorded.
    private func ask(
        _ service: any ActivationService, _ attempt: ActivationAttempt, on uid: CardUID
    ) async throws(TapcardError) -> ActivationAttempt {
        var attempt = attempt
        if attempt.state == .requested {
            let answer = await answer(of: service, to: attempt.code)
            switch answer {
            case .failure(let error):
                throw TapcardError(
                    error,
                    meaning: "Whether the code counts as activated is not known"
                        + (error.mayBeOfWrongAddress
                            ? "; the address may be wrong (activation-url). " : ". ")
                        + "Until there is an answer the card is activating, and another activation "
                        + "asks again for the same code.",
                    uid: uid)
            case .success(let answer):
                attempt = try await record(answer, to: attempt, on: uid)
            }
        }
        return try accepted(attempt, on: uid)
    }

    /// An attempt with a yes; a no is told to whoever asks.
    private func accepted(
        _ attempt: ActivationAttempt, on uid: CardUID
    ) throws(TapcardError) -> ActivationAttempt {
        guard attempt.state == .active else {
            throw TapcardError(
                .activationRefused,
                "The service does not activate the code: version \(attempt.version ?? "").",
                meaning: "The card is still scratched and its code is as good as before.",
                uid: uid)
        }
        return attempt
    }

    /// Asks in a task of its own, which does not end when ours is cancelled.
    private func answer(
        of service: any ActivationService, to code: ScratchCode
    ) async -> Result<ActivationAnswer, ServiceError> {
        surroundings.progress(.asking)
        return await Task { () async -> Result<ActivationAnswer, ServiceError> in
            do throws(ServiceError) {
                return .success(try await service.activate(code))
            } catch {
                return .failure(error)
            }
        }.value
    }

    /// Makes the answer durable. The first one counts, so what is recorded may be another
    /// station's.
    private func record(
        _ answer: ActivationAnswer, to attempt: ActivationAttempt, on uid: CardUID
    ) async throws(TapcardError) -> ActivationAttempt {
        let version: String?
        switch answer {
        case .active: version = nil
        case .refused(let named): version = String(named.unicodeScalars.prefix(Self.longestVersion))
        }
        var failure = LedgerError(.outcomeUnknown, "")
        var state = "activating"
        for _ in 0..<Station.mostRecordings {
            do {
                if let recorded = try await ledger.recordActivation(
                    attempt.id, rejectedBy: version, at: now)
                {
                    return recorded
                }
                state = "scratched"
                failure = LedgerError(
                    .unavailable, "the ledger does not know the attempt \(attempt.id) any more")
            } catch {
                failure = error
            }
            if failure.kind != .outcomeUnknown { break }
        }
        let cause = TapcardError(failure)
        throw TapcardError(
            cause.kind, cause.what,
            meaning: "The service has answered, but the ledger could not note it. The card is "
                + "still \(state).",
            next: [.service(.activateLater)],
            uid: uid)
    }

    /// Puts a recorded yes onto the card, or onto the one that has its code by now. Whatever stands
    /// against it, the yes stays.
    private func write(
        _ attempt: ActivationAttempt, onto uid: CardUID?
    ) async throws(TapcardError) -> Receipt {
        guard !Task.isCancelled else {
            throw TapcardError(.cancelled, "Stopped.", uid: uid).leavingUnwritten
        }
        let begun = Begun(.activate)
        return try await tap(
            for: attempt.id, asking: begun, only: uid,
            conclude: { error, state in
                await conclude(attempt.id, begun, state, after: error)
                    ?? .failure(error.leavingUnwritten)
            },
            { sight, state throws(Interruption) in
                try await carryOut(
                    .activate, attempt.id, on: sight, state, noting: begun)
            })
    }
}

extension ServiceError {
    /// Whether what answers there may be something else than the service.
    fileprivate var mayBeOfWrongAddress: Bool {
        switch kind {
        case .redirected, .refused, .notHTTP, .notJSON, .wrongShape: true
        default: false
        }
    }
}

extension TapcardError {
    /// The service has said yes, the ledger has noted it, and the card does not show it yet.
    fileprivate var leavingUnwritten: TapcardError {
        let noted = "The service has activated the code, and the ledger has noted it."
        let isOfCard =
            [.refused, .untrusted, .usage].contains(result) || kind == .ledgerBehind
        switch kind {
        case .outcomeUnknown, .wrongCard, .severalTags,
            _ where !isOfCard:
            return TapcardError(
                .outcomeUnknown, "\(what) \(noted)", meaning: "The card does not show it yet.",
                next: [.tag(.tapToWrite)], uid: uid)
        default:
            return saying(
                "\(what) \(noted)", meaning: meaning == TapcardError.unchanged ? "" : meaning)
        }
    }
}
