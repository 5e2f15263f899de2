import TapcardCore
import TapcardDomain

/// Answers requests without the reader, and handles repeated requests.
extension OperationQueue {
    /// Answers from the ledger's record of the operation, without the reader. Used for repeated
    /// requests, and for all requests while the reader is in use or the till is closing.
    func answerWithoutReader(
        _ operation: TillOperation
    ) async throws(Problem) -> TillRunner.Answer {
        let recorded =
            operation.call.takesOperation
            ? await runner.recordedState(of: operation.id, for: operation.call) : .nothing
        // A request with the same ID may have started in the meantime.
        if let known = running[operation.id], let task = known.task {
            guard operation.isSame(as: known) else { throw .otherRequest }
            return await task.value
        }
        if isClosing { throw .closing(recorded) }
        if recorded == .answered {
            var withoutReader = operation
            // The answer is in the ledger, so this run does not need the reader or wait for a card.
            (withoutReader.needsReader, withoutReader.gate) = (false, StopGate(canStop: false))
            let answer = try await begin(withoutReader)
            // The command needed the reader after all.
            guard answer.problem?.kind != .readerBusy else {
                throw .readerTaken(recorded)
            }
            return answer
        }
        guard operation.needsReader, atReader != nil else { return try await begin(operation) }
        throw .readerTaken(recorded)
    }

    /// Whether this server knows everything that happens at the till. If the reader is on another
    /// machine, only the server that it is connected to does: no other one can use it any longer.
    var isReaderHere: Bool { line.map { $0.state.greeting != nil } ?? true }
    /// Whether the reader is not connected to this server, and pages already know that.
    var isKnownDetached: Bool { readerProblem != nil && !isReaderHere }

    /// The refusal of a request about an operation that this server does not know.
    var unknownOperation: Problem { isReaderHere ? .noSuchOperation : .readerElsewhere }

    /// Lets a repeated request continue if an operation with its ID was begun. If the ledger does
    /// not store the IDs of such requests, the request continues only if it needs no card or
    /// specifies the card.
    func requireBegun(_ operation: TillOperation) async throws(Problem) {
        guard operation.call.takesOperation else {
            if !operation.needsReader || operation.namedCard != nil { return }
            throw .outcomeUnknownHere
        }
        let recorded = await runner.recordedState(of: operation.id, for: operation.call)
        // A cashier who is told "not begun" might charge again, although the ledger may have
        // recorded the operation.
        if case .unknown(let error) = recorded { throw Problem(error) }
        // Another server may still carry out the first request, so it must not be called lost. The
        // ledger books each ID only once, so the request simply continues.
        if TillPath.remoteNumber != nil, !operation.needsReader { return }
        // The first request may have arrived in the meantime.
        guard running[operation.id] == nil else { return }
        if recorded == .nothing, !isReaderHere { throw .readerElsewhere }
        guard admission.mayContinue(operation.id, isBegun: recorded != .nothing) else {
            throw .notBegun
        }
    }
}
