import Cards
import Ledger
package import TapcardDomain

/// Activates a card's code. The first tap records the attempt in the ledger, then the service is
/// called, and a second tap writes the service's response to the card.
package struct Activation: UseCase {
    /// How many times to try to record a response if the outcome remains unknown.
    private static let maxRecordings = 3
    /// The version in a response is cut to this length before it is stored.
    private static let maxVersionLength = 64

    private enum Phase: Sendable, Hashable {
        case beginning
        case attempting(AttemptActivation)
        case asking(ActivationAttempt, on: CardUID)
        case writing(WriteActivation)
        /// An earlier call already began the operation with this ID.
        case repeating(CardChange)
    }

    private var id: OperationID
    private let service: any ActivationService
    private var phase = Phase.beginning
    /// The operations that the first tap resolved.
    private var resolved: [ResolvedOperation] = []

    package init(_ id: OperationID, through service: any ActivationService) {
        (self.id, self.service) = (id, service)
    }

    /// Compares only the state, because a service cannot be compared.
    package static func == (left: Activation, right: Activation) -> Bool {
        left.id == right.id && left.phase == right.phase && left.resolved == right.resolved
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(phase)
        hasher.combine(resolved)
    }

    package mutating func step(at station: Station) async throws(TapcardError) -> Receipt? {
        try await translating(awaiting: await advance(at: station)?.reporting(resolved)) {
            (error: TapcardError) in
            error.reporting(resolved)
        }
    }

    private mutating func advance(at station: Station) async throws(TapcardError) -> Receipt? {
        switch phase {
        case .beginning: try await begin(at: station)
        case .attempting(var attempting):
            let attempt = try await attempting.step(at: station)
            phase = .attempting(attempting)
            switch attempt {
            case nil: break
            case .done(let receipt): return receipt
            case .open(let attempt, on: let uid, let earlier):
                // The second tap has its own history, so what the first one resolved is kept here.
                resolved = earlier
                phase = .asking(attempt, on: uid)
            }
        case .asking(let attempt, on: let uid):
            write(try await ask(about: attempt, on: uid, at: station), onto: uid)
        case .writing(var writing):
            // The use case is a value, so its progress has to be written back even if the step
            // throws.
            defer { phase = .writing(writing) }
            return try await writing.step(at: station)
        case .repeating(var repeating):
            defer { phase = .repeating(repeating) }
            return try await repeating.step(at: station)
        }
        return nil
    }

    private mutating func begin(at station: Station) async throws(TapcardError) {
        // If this request was linked to an existing attempt, it continues with that attempt's ID.
        id = try await queryingLedger(await station.ledger.attempt(forRequest: id))
        if let known = try await station.answering.known(id, .activate, only: nil) {
            phase = .repeating(CardChange(.activate, id, known: known))
            return
        }
        let attempt = try await queryingLedger(await station.ledger.activation(id))
        // If a response is already recorded, all that remains is to write it to the card; the
        // service is not called again.
        guard let attempt, attempt.state != .requested else {
            phase = .attempting(AttemptActivation(request: PendingRequest(id, .activate)))
            return
        }
        write(try accepted(attempt, on: attempt.card), onto: nil)
    }

    /// Continues by writing a recorded approval to this card or, if no card is given, to the card
    /// that has the code now.
    private mutating func write(_ attempt: ActivationAttempt, onto uid: CardUID?) {
        phase = .writing(WriteActivation(attempt.id, card: uid))
    }
}

extension Activation {
    /// Calls the service unless its response is already recorded, and returns the attempt with the
    /// recorded approval.
    private func ask(
        about attempt: ActivationAttempt, on uid: CardUID, at station: Station
    ) async throws(TapcardError) -> ActivationAttempt {
        var attempt = attempt
        // Another station may already have recorded a response, and only the first one counts.
        if attempt.state == .requested {
            let answer = await answer(about: attempt.code, at: station)
            switch answer {
            case .failure(let error):
                throw TapcardError(
                    error,
                    meaning:
                        "The activation service did not return a usable response, so the code may "
                        + "or may not have been activated"
                        + (error.mayBeDueToWrongAddress
                            ? "; the activation-url setting may be wrong. " : ". ")
                        + "The card stays in the \"activating\" state, and the next activation "
                        + "will send the same code again.", uid: uid)
            case .success(let answer):
                attempt = try await record(answer, to: attempt, on: uid, at: station)
            }
        }
        return try accepted(attempt, on: uid)
    }

    /// Returns the attempt if the service approved it; throws if the service refused it.
    private func accepted(
        _ attempt: ActivationAttempt, on uid: CardUID
    ) throws(TapcardError) -> ActivationAttempt {
        guard attempt.state == .active else {
            throw TapcardError(
                .activationRefused,
                "The activation service refused the code: it responded with version "
                    + "\(attempt.version ?? ""), which is too low.",
                meaning: "The card still has the same code, and you can try to activate it "
                    + "again.", uid: uid)
        }
        return attempt
    }

    /// Calls the service in a separate task, which continues even if the caller's task is canceled,
    /// because the service may already have activated the code.
    private func answer(
        about code: ScratchCode, at station: Station
    ) async -> Result<ActivationAnswer, ServiceError> {
        station.dependencies.progress(.asking)
        let service = service
        return await Task { () async -> Result<ActivationAnswer, ServiceError> in
            do throws(ServiceError) {
                return .success(try await service.activate(code))
            } catch {
                return .failure(error)
            }
        }.value
    }

    /// Records the response. Only the first response counts, so the recorded one may come from
    /// another station.
    private func record(
        _ answer: ActivationAnswer, to attempt: ActivationAttempt, on uid: CardUID,
        at station: Station
    ) async throws(TapcardError) -> ActivationAttempt {
        let version: String?
        switch answer {
        case .active: version = nil
        // The text comes from another machine, so its length is limited before it is stored.
        case .refused(let named):
            version = String(named.unicodeScalars.prefix(Self.maxVersionLength))
        }
        var failure = LedgerError(.outcomeUnknown, "")
        var state = "activating"
        for _ in 0..<Activation.maxRecordings {
            do {
                if let recorded = try await station.ledger.recordActivation(
                    attempt.id, rejectedBy: version, at: station.now)
                {
                    return recorded
                }
                state = "scratched"
                failure = LedgerError(
                    .unavailable, "attempt \(attempt.id) is missing from the ledger")
            } catch {
                failure = error
            }
            // Another try helps only if the outcome is unknown; recording twice does no harm.
            if failure.kind != .outcomeUnknown { break }
        }
        let cause = TapcardError(failure)
        throw TapcardError(
            cause.kind, cause.what,
            meaning:
                "The service responded, but the ledger could not record the response. The card "
                + "is still \(state).", next: [.service(.activateLater)], uid: uid)
    }
}

/// The tap that records an attempt to activate a card's code.
private struct AttemptActivation: TapUseCase {
    /// The result of the tap.
    enum Attempt: Sendable {
        case open(ActivationAttempt, on: CardUID, [ResolvedOperation])
        /// The response to an earlier attempt was already recorded; it is now on the card.
        case done(Receipt)
    }

    var tap = Tap()
    let request: PendingRequest

    var pending: PendingRequest? { request }
    var card: CardUID? { nil }

    func carryOut(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<Attempt> {
        guard let version = reading.version else {
            throw try await station.unknownTags.refusal(reading)
        }
        if let done = tap.history.done(.activate) {
            if done.id != request.id {
                // The card is activated even if this ID cannot be stored with the attempt.
                try? await station.ledger.keep(
                    request.id, for: done.id, of: done.uid, by: station.requester,
                    at: station.now)
            }
            guard
                case .done(let receipt) = try await station.answering.ended(
                    done, on: reading, tap.history)
            else { return .readAgain }
            return .done(.done(receipt))
        }
        let answer = try await asking(
            await station.ledger.requestActivation(
                of: reading.uid, id: request.id, version: version, by: station.requester,
                at: station.now))
        switch answer {
        case .attempt(let attempt):
            return .done(
                .open(
                    attempt, on: reading.uid,
                    tap.history.resolved(besides: attempt.id, in: station.currency)))
        case .known, .changed: return .readAgain
        case .mismatched(let operation): throw .refused(station.answering.mismatch(operation))
        case .refused(let refusal): throw .refused(refusal, uid: reading.uid)
        }
    }
}

/// The tap that writes the service's approval to the card. The approval remains valid even if it
/// cannot be written.
private struct WriteActivation: ReceiptUseCase {
    var tap = Tap()
    let card: CardUID?
    var request: PendingRequest

    init(_ attempt: OperationID, card: CardUID?) {
        (self.card, request) = (card, PendingRequest(attempt, .activate))
    }

    var id: OperationID? { request.id }

    func recall(at station: Station) async throws(TapcardError) -> Receipt? {
        // After Ctrl-C, the response is recorded, but the station does not wait for a card.
        guard Task.isCancelled else { return nil }
        throw TapcardError(.cancelled, "Canceled.", uid: card).withApprovalUnwritten()
    }

    func conclude(
        after error: TapcardError, at station: Station
    ) async -> Result<Receipt, TapcardError>? {
        await station.answering.conclude(request, tap.history, after: error)
            ?? .failure(
                error.withApprovalUnwritten(possiblyBegun: tap.history.possiblyBegun == request.id))
    }
}

extension ServiceError {
    /// Whether the wrong server may have responded, which would suggest that the address is wrong.
    fileprivate var mayBeDueToWrongAddress: Bool {
        switch kind {
        case .redirected, .refused, .notHTTP, .notJSON, .wrongShape: true
        default: false
        }
    }
}

extension TapcardError {
    /// This error, reworded for an approval that is recorded but not on the card yet. If the
    /// operation that writes it may have begun, the error must not be a refusal, because a refusal
    /// would mean that the operation had not begun.
    fileprivate func withApprovalUnwritten(possiblyBegun: Bool = false) -> TapcardError {
        let recorded = "The service activated the code, and the ledger recorded it."
        let isAboutCard = isCardAtFault || !possiblyBegun && [.refused, .usage].contains(result)
        switch kind {
        case .outcomeUnknown, .wrongCard, .severalTags,
            _ where !isAboutCard:
            return TapcardError(
                .outcomeUnknown, "\(what) \(recorded)",
                meaning: "The card itself has not been updated yet.",
                next: blamesTag ? next : [.tag(.tapToWrite)], uid: uid)
        default:
            return reworded(
                "\(what) \(recorded)", meaning: meaning == TapcardError.unchanged ? "" : meaning)
        }
    }
}
