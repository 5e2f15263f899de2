import Ledger
import Tags
import TapcardDomain

/// A use case for which a card is presented to the reader once.
///
/// It performs each action of its tap and reports the result to the tap. If it fails, the error
/// also lists what the tap had resolved before.
protocol TapUseCase: UseCase {
    associatedtype Success

    var tap: Tap { get set }
    /// The ID of the operation for which the card is presented to the reader, if any.
    var id: OperationID? { get }
    /// The request with that ID; nil to finish any open operation that has the ID.
    var pending: PendingRequest? { get }
    /// The only card that is accepted; nil for any card.
    var card: CardUID? { get }
    /// Whether the whole tag is read, which is necessary before a card is made.
    var isThorough: Bool { get }

    /// Whether the request changes the card. If so, the reader signals the result.
    var changesCard: Bool { get }

    /// Queries the ledger before waiting for a card. Returns the result if no card is needed.
    mutating func recall(at station: Station) async throws(TapcardError) -> Success?
    /// Examines the card after each reading, before anything is resolved. May end the tap.
    mutating func examine(
        _ reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<Success>
    /// Carries out the request on a card that has no open operation.
    mutating func carryOut(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<Success>
    /// Called with the outcome of the operation that the request began. Returns nil to read the
    /// card again.
    mutating func performed(
        _ operation: Operation, _ display: DisplayState, at station: Station
    ) throws(Interruption) -> Success?
    /// Determines the result from the ledger if the card was removed or can no longer be trusted.
    /// Nil if the error already says everything.
    func conclude(
        after error: TapcardError, at station: Station
    ) async -> Result<Success, TapcardError>?
}

extension TapUseCase {
    var id: OperationID? { pending?.id }
    var pending: PendingRequest? { nil }
    var isThorough: Bool { false }
    var changesCard: Bool { pending != nil }

    func recall(at station: Station) -> Success? { nil }

    func examine(_ reading: CardReading, at station: Station) -> Decision<Success> { .proceed }

    func performed(
        _ operation: Operation, _ display: DisplayState, at station: Station
    ) -> Success? { nil }

    func conclude(
        after error: TapcardError, at station: Station
    ) -> Result<Success, TapcardError>? { nil }
}

/// How a tap continues after the card has been read.
enum Decision<Success> {
    case proceed
    case readAgain
    /// Write the operation, which is durable in the ledger, to the tag. `isAuthenticated` is true
    /// if the tag has just accepted the card's password.
    case perform(OpenOperation, isAuthenticated: Bool)
    case done(Success)

    /// Converts a decision made by a resolver, which never ends a tap with a result.
    init(_ resolving: Decision<Never>) {
        self =
            switch resolving {
            case .proceed: .proceed
            case .readAgain: .readAgain
            case .perform(let open, let isAuthenticated):
                .perform(open, isAuthenticated: isAuthenticated)
            }
    }

    /// Ends the tap with this result or, if it is nil, has the card read again.
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
                guard let success = try await performNextAction(at: station) else { return nil }
                await station.reader.release(signaling: changesCard ? .done : nil)
                return success
            } catch {
                // Every fault is reported to the tap, so that there is only one way to recover.
                tap.take(.failed(await diagnosed(error, at: station)))
                return nil
            }
        }
    }

    private mutating func performNextAction(
        at station: Station
    ) async throws(Interruption) -> Success? {
        switch tap.next {
        case .recall, .conclude: break
        case .find(let again): try await find(again: again, at: station)
        case .scan(let identity, let uid):
            let reading = try await station.scanner.scan(
                identity, uid, thoroughly: isThorough, &tap.history)
            tap.take(.scanned(reading))
        case .examine(let reading):
            return follow(try await examineOpen(reading, at: station), reading)
        case .resolve(let reading): try await resolve(reading, at: station)
        case .carryOut(let reading):
            return follow(try await carryOut(on: reading, at: station), reading)
        case .write(let writing):
            try await station.recordWriter.write(writing, &tap.history)
            tap.take(.written)
        case .switchProtection(let writing):
            let (switched, isLast) = try await station.protectionSteps.take(of: writing)
            tap.take(.switched(switched, isLast: isLast))
        case .confirm(let writing): return try await confirm(writing, at: station)
        case .refresh(let writing, let operation):
            let display = await station.faceWriter.refresh(after: writing)
            return try await finish(writing, operation, display, at: station)
        }
        return nil
    }

    /// The error, after finding out what caused it: a tag that refused what it should have accepted
    /// may have a password other than the expected one.
    private mutating func diagnosed(
        _ error: Interruption, at station: Station
    ) async -> Interruption {
        switch tap.next {
        case .resolve(let reading), .carryOut(let reading):
            return await station.passwords.diagnosed(error, reading)
        case .write(let writing):
            await station.ntag424Writer.noteUnusable(after: error, writing: writing, &tap.history)
            return await station.passwords.diagnosed(error, writing.reading)
        case .switchProtection(let writing), .confirm(let writing), .refresh(let writing, _):
            return await station.passwords.diagnosed(error, writing.reading)
        case .recall, .find, .scan, .examine, .conclude: return error
        }
    }

    private mutating func follow(
        _ decision: Decision<Success>, _ reading: CardReading
    ) -> Success? {
        switch decision {
        case .proceed: tap.take(.examined)
        case .readAgain: tap.take(.changed)
        case .perform(let open, let isAuthenticated):
            tap.take(
                .begun(
                    RecordWriting(
                        reading: reading, open: open, isAuthenticated: isAuthenticated,
                        isRequested: true)))
        case .done(let success): return success
        }
        return nil
    }

    private mutating func find(again: Bool, at station: Station) async throws(Interruption) {
        // The card should still be on the reader, so nobody is asked to present it again.
        if !again { station.dependencies.progress(.waitingForCard) }
        let (identity, uid) = try await station.scanner.find(
            within: again ? Station.returnLimit : station.settings.wait)
        // A caller who cancels the wait is told that nothing happened, so nothing must happen even
        // if a card is presented at that moment.
        if tap.touched == nil, Task.isCancelled { throw .reader(ReaderError(.cancelled)) }
        tap.take(.found(identity, uid))
    }

    private mutating func examineOpen(
        _ reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<Success> {
        let open = reading.known?.open
        // If the operation that this tap was resolving is no longer open, another station may have
        // resolved it.
        if tap.history.resolving?.id != open?.id {
            await station.resolver.recordOutcomeOfResolving(&tap.history)
        }
        if let open, let pending { try await station.answering.requireMatch(open, pending) }
        tap.history.note(open: open, for: id)
        await station.hints.logFindings(on: reading)
        return try await examine(reading, at: station)
    }

    private mutating func resolve(
        _ reading: CardReading, at station: Station
    ) async throws(Interruption) {
        switch try await station.resolver.resolve(reading, for: id, &tap.history) {
        case .proceed: tap.take(.examined)
        case .readAgain: tap.take(.resolved(nil, .current, closed: 0))
        case .perform(let open, let isAuthenticated):
            tap.take(
                .begun(
                    RecordWriting(
                        reading: reading, open: open, isAuthenticated: isAuthenticated,
                        isRequested: false)))
        }
    }

    private mutating func confirm(
        _ writing: RecordWriting, at station: Station
    ) async throws(Interruption) -> Success? {
        switch try await station.recordWriter.confirm(writing.open) {
        case .committed(let operation):
            station.dependencies.progress(.committed(operation.id))
            tap.take(.confirmed(operation))
            return nil
        case .voided(let operation):
            return try await finish(
                writing, operation, writing.isRequested ? .outOfDate : .current, at: station)
        // A later number has been assigned in the meantime, so the tag has to be read again.
        case .superseded: return try await finish(writing, nil, .current, at: station)
        }
    }

    /// Ends the write. `operation` is nil if the record has been superseded by another one.
    private mutating func finish(
        _ writing: RecordWriting, _ operation: Operation?, _ display: DisplayState,
        at station: Station
    ) async throws(Interruption) -> Success? {
        // After resolving what an earlier tap left open, the tap continues with the request.
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

    /// Returns true if it is certain that nothing was done. Returns false if the operation may have
    /// begun, because the ledger may still report success.
    private func isRefused(by error: TapcardError) -> Bool {
        changesCard && [.refused, .untrusted].contains(error.result)
            && pending?.operation == nil && pending?.possiblyBegun == nil
    }

    private mutating func end(
        after last: TapcardError, at station: Station
    ) async throws(TapcardError) -> Success {
        await station.reader.release(signaling: isRefused(by: last) ? .refused : nil)
        await station.resolver.recordOutcomeOfResolving(&tap.history)
        let error: TapcardError
        switch await conclude(after: last, at: station) {
        case .success(let success): return success
        case .failure(let failure): error = failure
        case nil:
            error = await station.answering.unresolved(
                tap.history.hasWorked ? last.afterResolving : last, pending, tap.touched)
        }
        await station.resolver.recordOutcomeOfResolving(&tap.history)
        throw error.reporting(tap.history.resolved(besides: id, in: station.currency))
    }
}
