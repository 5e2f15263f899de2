import Ledger
import Tags
import TapcardDomain

/// A use case for which a card is held to the reader once, with what is wanted of that card.
///
/// Performs each action of its tap, and tells the tap what happened. An error says what the tap
/// has resolved before it.
protocol TapUseCase: UseCase {
    associatedtype Success

    var tap: Tap { get set }
    /// The operation that the card is held there for; nil where there is none.
    var id: OperationID? { get }
    /// The request under that id; nil to finish any operation that is open under it.
    var pending: PendingRequest? { get }
    /// The only card that may be taken; nil for any.
    var card: CardUID? { get }
    /// Whether all of the tag is read again, as before a card is made.
    var isThorough: Bool { get }

    /// Asks the ledger before a card is waited for; the answer, where that needs no card.
    mutating func recall(at station: Station) async throws(TapcardError) -> Success?
    /// Sees the card every time it was read, before anything is resolved, and may end the tap
    /// there.
    mutating func examine(
        _ reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<Success>
    /// Does what was requested on a card on which nothing is open.
    mutating func carryOut(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<Success>
    /// Takes the end of the operation that the request has begun; nil to read the card again.
    mutating func performed(
        _ operation: Operation, _ display: DisplayState, at station: Station
    ) throws(Interruption) -> Success?
    /// Decides from the ledger what it means that the tap has ended: the card was lost or cannot
    /// be trusted any more. Nil where the error says it all.
    func conclude(
        after error: TapcardError, at station: Station
    ) async -> Result<Success, TapcardError>?
}

extension TapUseCase {
    var id: OperationID? { pending?.id }
    var pending: PendingRequest? { nil }
    var isThorough: Bool { false }

    func recall(at station: Station) -> Success? { nil }

    func examine(_ reading: CardReading, at station: Station) -> Decision<Success> { .goOn }

    func performed(
        _ operation: Operation, _ display: DisplayState, at station: Station
    ) -> Success? { nil }

    func conclude(
        after error: TapcardError, at station: Station
    ) -> Result<Success, TapcardError>? { nil }
}

/// How a tap goes on after the card was read.
enum Decision<Success> {
    case goOn
    case readAgain
    /// Put what is durable in the ledger onto the tag; `isOpened` where it has just taken the
    /// card's password.
    case perform(OpenOperation, isOpened: Bool)
    case done(Success)

    /// A resolving decision fits every request.
    init(_ resolving: Decision<Never>) {
        self =
            switch resolving {
            case .goOn: .goOn
            case .readAgain: .readAgain
            case .perform(let open, let isOpened): .perform(open, isOpened: isOpened)
            }
    }

    /// Done, where there is something to tell.
    init(_ success: Success?) { self = success.map(Decision.done) ?? .readAgain }
}

extension TapUseCase {
    package mutating func step(at station: Station) async throws(TapcardError) -> Success? {
        switch tap.next {
        case .recall:
            if let success = try await recall(at: station) { return success }
            tap.take(.recalled(only: card))
            return nil
        case .conclude(let error): return try await end(after: error, at: station)
        default:
            do throws(Interruption) {
                guard let success = try await perform(at: station) else { return nil }
                await station.reader.release()
                return success
            } catch {
                tap.take(.failed(await reconsidered(error, at: station)))
                return nil
            }
        }
    }

    private mutating func perform(
        at station: Station
    ) async throws(Interruption) -> Success? {
        switch tap.next {
        case .recall, .conclude: break
        case .find(let again): try await find(again: again, at: station)
        case .look(let identity, let uid):
            let reading = try await station.scanner.scan(
                identity, uid, thoroughly: isThorough, &tap.history)
            tap.take(.looked(reading))
        case .examine(let reading):
            return follow(try await examined(reading, at: station), reading)
        case .resolve(let reading): try await resolve(reading, at: station)
        case .carryOut(let reading):
            return follow(try await carryOut(on: reading, at: station), reading)
        case .write(let writing):
            try await station.records.write(writing, &tap.history)
            tap.take(.written)
        case .switchProtection(let writing):
            let (switched, isLast) = try await station.protectionSteps.take(of: writing)
            tap.take(.switched(switched, isLast: isLast))
        case .confirm(let writing): return try await confirm(writing, at: station)
        case .refresh(let writing, let operation):
            let display = await station.faces.refresh(after: writing)
            return try await finish(writing, operation, display, at: station)
        }
        return nil
    }

    /// A tag that has refused what it should have taken may have another password than was known.
    private mutating func reconsidered(
        _ error: Interruption, at station: Station
    ) async -> Interruption {
        switch tap.next {
        case .resolve(let reading), .carryOut(let reading):
            return await station.passwords.reconsidered(error, reading)
        case .write(let writing):
            await station.ntag424Writer.noteUnusable(after: error, writing: writing, &tap.history)
            return await station.passwords.reconsidered(error, writing.reading)
        case .switchProtection(let writing), .confirm(let writing), .refresh(let writing, _):
            return await station.passwords.reconsidered(error, writing.reading)
        case .recall, .find, .look, .examine, .conclude: return error
        }
    }

    private mutating func follow(
        _ decision: Decision<Success>, _ reading: CardReading
    ) -> Success? {
        switch decision {
        case .goOn: tap.take(.examined)
        case .readAgain: tap.take(.changed)
        case .perform(let open, let isOpened):
            tap.take(
                .begun(
                    RecordWriting(
                        reading: reading, open: open, isOpened: isOpened, isRequested: true)))
        case .done(let success): return success
        }
        return nil
    }

    private mutating func find(again: Bool, at station: Station) async throws(Interruption) {
        if !again { station.surroundings.progress(.waitingForCard) }
        let (identity, uid) = try await station.scanner.find(
            within: again ? Station.returnLimit : station.settings.wait)
        // Whoever stopped the wait for a card was told that nothing happens, also where one came
        // at the same moment.
        if tap.touched == nil, Task.isCancelled { throw .reader(ReaderError(.cancelled)) }
        tap.take(.found(identity, uid))
    }

    private mutating func examined(
        _ reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<Success> {
        let open = reading.known?.open
        if tap.history.resolving?.id != open?.id { await station.resolver.lookUpEnd(&tap.history) }
        if let open, let pending { try await station.require(open, pending) }
        tap.history.note(open: open, for: id)
        await station.hints.tell(of: reading)
        return try await examine(reading, at: station)
    }

    private mutating func resolve(
        _ reading: CardReading, at station: Station
    ) async throws(Interruption) {
        switch try await station.resolver.resolve(reading, for: id, &tap.history) {
        case .goOn: tap.take(.examined)
        case .readAgain: tap.take(.resolved(nil, .current, closed: 0))
        case .perform(let open, let isOpened):
            tap.take(
                .begun(
                    RecordWriting(
                        reading: reading, open: open, isOpened: isOpened, isRequested: false)))
        }
    }

    private mutating func confirm(
        _ writing: RecordWriting, at station: Station
    ) async throws(Interruption) -> Success? {
        switch try await station.records.confirm(writing.open) {
        case .committed(let operation):
            station.surroundings.progress(.committed(operation.id))
            tap.take(.confirmed(operation))
            return nil
        case .voided(let operation):
            return try await finish(
                writing, operation, writing.isRequested ? .outOfDate : .current, at: station)
        case .superseded: return try await finish(writing, nil, .current, at: station)
        }
    }

    /// The writing has ended; nil for an operation that another one has taken the place of.
    private mutating func finish(
        _ writing: RecordWriting, _ operation: Operation?, _ display: DisplayState,
        at station: Station
    ) async throws(Interruption) -> Success? {
        guard writing.isRequested else {
            var closed: Int64 = 0
            if let operation { closed = await station.resolver.balanceClosed(by: operation) }
            tap.take(.resolved(operation, display, closed: closed))
            return nil
        }
        if let operation,
            let success = try performed(operation, display, at: station)
        {
            return success
        }
        tap.take(.changed)
        return nil
    }

    private mutating func end(
        after last: TapcardError, at station: Station
    ) async throws(TapcardError) -> Success {
        await station.reader.release()
        await station.resolver.lookUpEnd(&tap.history)
        let error: TapcardError
        switch await conclude(after: last, at: station) {
        case .success(let success): return success
        case .failure(let failure): error = failure
        case nil:
            error = await station.unresolved(
                tap.history.hasWorked ? last.afterWork : last, pending, tap.touched)
        }
        await station.resolver.lookUpEnd(&tap.history)
        throw error.telling(tap.history.resolved(besides: id, in: station.currency))
    }
}

extension Station {
    /// What is open on the card under the request's id has to be what is asked for: nothing is
    /// finished in the name of a request that wants something else.
    fileprivate func require(
        _ open: Operation, _ request: PendingRequest
    ) async throws(Interruption) {
        guard open.id == request.id, request.operation == nil else { return }
        if SafetyRule.parametersAtTheTag.isLeftOut { return }
        let isAsked = try await asking(await isAnswered(request, by: open))
        guard isAsked else { throw .refused(mismatch(open)) }
    }

    /// A card that left while something was open on it is not "nothing happened"; nor is one that
    /// can never be written again, except for a request that was not begun on it.
    fileprivate func unresolved(
        _ error: TapcardError, _ request: PendingRequest?, _ uid: CardUID?
    ) async -> TapcardError {
        let isNoAnswer =
            [.failed, .noCard, .noReader].contains(error.result) || error.isOfTagForGood
        guard isNoAnswer, let uid, let known = try? await ledger.knownCard(of: uid),
            let open = known.open
        else { return error }
        guard error.isOfTagForGood else { return TapcardError.openStill(open, because: error) }
        if let request, request.id != open.id {
            return error.notBegun(request.kind, after: open)
        }
        // No request asks for a fresh record.
        return open.kind == .reseal ? error : TapcardError.openStill(open, because: error)
    }
}

extension TapcardError {
    /// Something was begun, and whether the card has it is not known.
    static func openStill(_ open: Operation, because error: TapcardError) -> TapcardError {
        let isReaderGone = error.kind == .readerLost || error.kind == .noReader
        return TapcardError(
            .outcomeUnknown, "\(error.what) The \(open.kind.noun) \(open.id) is still open.",
            meaning: error.meaning(leavingOpen: open.kind),
            next: error.blamesTag
                ? error.next
                : (isReaderGone ? [.reader(.plugIn)] : []) + [.tag(.tapToResolve(error.kind))],
            uid: open.uid, operation: open.kind.takesIDOfClient ? open.id : nil)
    }

    /// The meaning of an open operation of this kind.
    fileprivate func meaning(leavingOpen kind: Operation.Kind) -> String {
        switch kind {
        case .pay, .ticket, .close:
            "Whether the card has it is not known; until then it is not done."
        case _ where kind.isBookedAtOnce:
            isOfTagForGood
                ? "The ledger has it; this tag cannot follow."
                : "The ledger has it; the card follows at the next tap."
        case .protect:
            "Whether the tag asks for its password already is not known; the money is safe."
        case .unprotect:
            "Whether the tag still asks for its password is not known; the money is safe."
        default: "The money is safe in the ledger."
        }
    }

    /// The error of a tag that cannot be used any more, for a request of this kind that was not
    /// begun because an older one is open.
    fileprivate func notBegun(_ kind: Operation.Kind, after open: Operation) -> TapcardError {
        let (what, meaning) = kind.notDone
        let older =
            open.kind == .reseal
            ? ""
            : " The older \(open.kind.noun) \(open.id) is still open. "
                + self.meaning(leavingOpen: open.kind)
        return saying(meaning: "\(what) \(meaning)\(older)")
    }

    /// The tag can never be written again, or not without its owner.
    fileprivate var isOfTagForGood: Bool { [.lockedTag, .unusableTag].contains(kind) }

    /// The tag is what it is: to tap it again would not help.
    var blamesTag: Bool {
        [.protectedTag, .lockedTag, .unusableTag, .unsupportedTag].contains(kind) && !next.isEmpty
    }

    /// The card itself is wrong, so another tap would not help.
    var blamesCard: Bool {
        result == .untrusted || kind == .ledgerBehind || kind == .cardCurrency
    }

    /// The error of a tap that had resolved something before.
    var afterWork: TapcardError {
        guard meaning == TapcardError.unchanged else { return self }
        return saying(
            meaning: "Earlier unfinished work was processed first; the history shows it. "
                + "Nothing else was changed.")
    }
}
