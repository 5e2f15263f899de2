import Ledger
import TagReading
import TapcardDomain

/// What a card is held to the reader for.
protocol TapRequest: Sendable, Hashable {
    associatedtype Success: Sendable

    /// The operation that the card is held there for; nil where there is none.
    var id: OperationID? { get }
    /// What was requested under that id; nil where whatever is open under it is finished.
    var pending: PendingRequest? { get }
    /// The only card that may be taken; nil for any.
    var card: CardUID? { get }
    /// Whether all of the tag is read again, as before a card is made.
    var isThorough: Bool { get }

    /// Asks the ledger before a card is waited for; the answer, where that needs no card.
    mutating func recall(at station: Station) async throws(TapcardError) -> Success?
    /// Sees every look at the card before anything is settled, and may end the tap there.
    mutating func examine(
        _ sight: Sight, _ history: inout TapHistory, at station: Station
    ) async throws(Interruption) -> Look<Success>
    /// Does what was requested on a card on which nothing is open; nil to read it again.
    mutating func carryOut(
        on sight: Sight, _ history: TapHistory, at station: Station
    ) async throws(Interruption) -> Success?
    /// Decides from the ledger what it means that the tap has ended: the card was lost or cannot
    /// be trusted any more. Nil where the error says it all.
    func conclude(
        after error: TapcardError, _ history: TapHistory, at station: Station
    ) async -> Result<Success, TapcardError>?
}

extension TapRequest {
    var id: OperationID? { pending?.id }
    var pending: PendingRequest? { nil }
    var isThorough: Bool { false }

    func recall(at station: Station) -> Success? { nil }

    func examine(_ sight: Sight, _ history: inout TapHistory, at station: Station) -> Look<Success>
    {
        .goOn
    }

    func conclude(
        after error: TapcardError, _ history: TapHistory, at station: Station
    ) -> Result<Success, TapcardError>? { nil }
}

/// What one look at a card says of how to go on.
enum Look<Success> {
    case goOn
    case again
    case done(Success)
}

/// A tap with its request: performs each action of the tap, and tells it what happened.
///
/// An error says what the tap has settled before it.
struct Tapping<Request: TapRequest>: UseCase {
    private var tap = Tap()
    private var request: Request

    init(_ request: Request) { self.request = request }

    mutating func step(
        at station: Station
    ) async throws(TapcardError) -> Request.Success? {
        switch tap.next {
        case .recall:
            if let success = try await request.recall(at: station) { return success }
            tap.take(.recalled(only: request.card))
            return nil
        case .conclude(let error): return try await conclude(after: error, at: station)
        case .find, .look, .examine, .settle, .carryOut:
            do throws(Interruption) {
                guard let success = try await perform(at: station) else { return nil }
                await station.reader.release()
                return success
            } catch {
                tap.take(.failed(error))
                return nil
            }
        }
    }

    private mutating func perform(
        at station: Station
    ) async throws(Interruption) -> Request.Success? {
        switch tap.next {
        case .recall, .conclude: break
        case .find(let again): try await find(again: again, at: station)
        case .look(let identity, let uid):
            tap.take(
                .looked(try await station.see(identity, uid, thoroughly: request.isThorough)))
        case .examine(let sight):
            switch try await examine(sight, at: station) {
            case .goOn: tap.take(.examined)
            case .again: tap.take(.changed)
            case .done(let success): return success
            }
        case .settle(let sight):
            do throws(Interruption) {
                try await settle(sight, at: station)
            } catch {
                throw await station.reconsidered(error, sight)
            }
        case .carryOut(let sight):
            do throws(Interruption) {
                let success = try await request.carryOut(on: sight, tap.history, at: station)
                if success == nil { tap.take(.changed) }
                return success
            } catch {
                throw await station.reconsidered(error, sight)
            }
        }
        return nil
    }

    private mutating func find(again: Bool, at station: Station) async throws(Interruption) {
        if !again { station.surroundings.progress(.waitingForCard) }
        let (identity, uid) = try await station.find(
            within: again ? Station.returnLimit : station.settings.wait)
        // Whoever stopped the wait for a card was told that nothing happens, also where one came
        // at the same moment.
        if tap.touched == nil, Task.isCancelled { throw .reader(ReaderError(.cancelled)) }
        tap.take(.found(identity, uid))
    }

    private mutating func examine(
        _ sight: Sight, at station: Station
    ) async throws(Interruption) -> Look<Request.Success> {
        let open = sight.view?.open
        if tap.history.settling?.id != open?.id { await station.lookUpEnd(&tap.history) }
        if let open, let pending = request.pending { try await station.require(open, pending) }
        tap.history.note(open: open, for: request.id)
        await station.hint(at: sight)
        return try await request.examine(sight, &tap.history, at: station)
    }

    private mutating func settle(
        _ sight: Sight, at station: Station
    ) async throws(Interruption) {
        switch try await station.settle(sight, for: request.id, &tap.history) {
        case .quiet: tap.take(.quiet)
        case .settled(let operation, let display):
            var closed: Int64 = 0
            if let operation { closed = await station.balanceClosed(by: operation) }
            tap.take(.settled(operation, display, closed: closed))
        }
    }

    private mutating func conclude(
        after last: TapcardError, at station: Station
    ) async throws(TapcardError) -> Request.Success {
        await station.reader.release()
        await station.lookUpEnd(&tap.history)
        let error: TapcardError
        switch await request.conclude(after: last, tap.history, at: station) {
        case .success(let success): return success
        case .failure(let failure): error = failure
        case nil:
            error = await station.unsettled(
                tap.history.hasWorked ? last.afterWork : last, tap.touched)
        }
        await station.lookUpEnd(&tap.history)
        throw error.telling(station.settled(tap.history, besides: request.id))
    }
}

extension Station {
    /// What is open on the card under the request's id has to be what is asked for: nothing is
    /// finished in the name of a request that wants something else.
    fileprivate func require(
        _ open: Operation, _ request: PendingRequest
    ) async throws(Interruption) {
        guard open.id == request.id, request.operation == nil else { return }
        #if LEAVE_RULES_OUT
        if LeftOutRule.current == .parametersAtTheTag { return }
        #endif
        let isAsked = try await asking { () throws(LedgerError) in
            try await isAnswered(request, by: open)
        }
        guard isAsked else { throw .refused(mismatch(open)) }
    }

    /// A card that left while something was open on it is not "nothing happened"; nor is one that
    /// can never be written again.
    fileprivate func unsettled(_ error: TapcardError, _ uid: CardUID?) async -> TapcardError {
        let isNoAnswer =
            [.failed, .noCard, .noReader].contains(error.result) || error.kind == .lockedTag
        guard isNoAnswer, let uid, let view = try? await ledger.view(of: uid), let open = view.open
        else { return error }
        return TapcardError.openStill(open, because: error)
    }
}

extension TapcardError {
    /// Something was begun, and whether the card has it is not known.
    static func openStill(_ open: Operation, because error: TapcardError) -> TapcardError {
        let meaning =
            switch open.kind {
            case .pay, .ticket, .close:
                "Whether the card has it is not known; until then it is not done."
            case .add, .refund, .reverse, .claim, .scratch, .activate, .game, .issue, .adopt,
                .replace:
                "The ledger has it; the card follows at the next tap."
            case .protect:
                "Whether the tag asks for its password already is not known; the money is safe."
            case .unprotect:
                "Whether the tag still asks for its password is not known; the money is safe."
            case .reseal, .ask, .payout, .block, .unblock, .forget:
                "The money is safe in the ledger."
            }
        let isReaderGone = error.kind == .readerLost || error.kind == .noReader
        return TapcardError(
            .outcomeUnknown,
            "\(error.what) The \(open.kind.noun) \(open.id) is still open.",
            meaning: meaning,
            advice: error.blamesTag
                ? error.advice
                : isReaderGone
                    ? "Plug the reader in again (tapcard doctor says what it lacks). Tap the card "
                        + "again to settle it."
                    : "Tap the card again to settle it.", uid: open.uid,
            operation: open.kind.takesIDOfClient ? open.id : nil)
    }

    /// The error of a request whose outcome is not known, with the way to ask for it again: under
    /// its own id it never happens twice.
    func retriable(_ operation: Operation) -> TapcardError {
        guard kind == .outcomeUnknown, operation.kind.takesIDOfClient else { return self }
        let way =
            "To repeat the same request, add --operation \(operation.id): it never happens "
            + "twice."
        return saying(advice: [advice, way].filter { !$0.isEmpty }.joined(separator: " "))
    }

    /// The tag is what it is: to tap it again would not help.
    private var blamesTag: Bool {
        [.protectedTag, .lockedTag, .unsupportedTag].contains(kind) && !advice.isEmpty
    }

    /// What is wrong with the card is what has to be said: to tap it again would not help.
    var blamesCard: Bool {
        result == .untrusted || kind == .ledgerBehind || kind == .cardCurrency
    }

    /// What is wrong with the card is what has to be said, and what is open on it as well.
    func leavingOpen(_ open: Operation) -> TapcardError {
        saying("\(what) The \(open.kind.noun) \(open.id) is still open.")
    }

    /// The card was made, and neither tag nor ledger can be asked what it holds now.
    static func madeUnread(_ making: Operation, because error: TapcardError) -> TapcardError {
        TapcardError(
            .outcomeUnknown, "\(error.what) The ledger cannot be asked what the card holds.",
            meaning: "The card was made (\(making.kind.noun) \(making.id)); the ledger has it.",
            advice: "Tap it again with tapcard read once the ledger is back.", uid: making.uid,
            operation: making.id)
    }

    /// The disk failed while the ledger was to note it, and the ledger cannot be asked.
    static func perhapsBegun(_ perhaps: Operation, because error: TapcardError) -> TapcardError {
        TapcardError(
            .outcomeUnknown,
            "\(error.what) Whether the ledger has the \(perhaps.kind.noun) \(perhaps.id) is not "
                + "known.",
            meaning: "Nothing was written to the card, and nobody was told that it is done.",
            advice: "When the disk is well again, tap the card with tapcard read: it settles what "
                + "is open, and tapcard history shows what was done. Do that before you repeat "
                + "anything.", uid: perhaps.uid, operation: perhaps.id)
    }

    /// The disk failed while the ledger was to note it, and the ledger says that it has not.
    static func notBegun(_ perhaps: Operation) -> TapcardError {
        TapcardError(
            .ledgerUnavailable,
            "The disk failed while the ledger was being written. The \(perhaps.kind.noun) was not "
                + "begun.", meaning: unchanged,
            advice: "Check the ledger's disk and try again.", uid: perhaps.uid)
    }

    /// The same, where the tap had settled something before.
    var afterWork: TapcardError {
        guard meaning == TapcardError.unchanged else { return self }
        return saying(
            meaning: "What was still to be done on the card was worked on before; "
                + "tapcard history shows it. Nothing else was changed.")
    }
}
