import TapcardCore
import TapcardDomain

/// Requests that are answered without the reader, and repeated requests.
extension OperationQueue {
    /// Answers from the ledger's record of the operation, without the reader. This is for a
    /// repeated request, and for any request while the reader is in use or the till is closing.
    func answerWithoutReader(
        _ operation: TillOperation
    ) async throws(Problem) -> TillRunner.Answer {
        let booked =
            operation.call.takesOperation
            ? await runner.booked(operation.id, by: operation.call) : .nothing
        // A request with the same ID may have begun in the meantime.
        if let known = running[operation.id], let task = known.task {
            guard operation.isSame(as: known) else { throw .otherRequest }
            return await task.value
        }
        if isClosing { throw .closing(booked) }
        if booked == .answered {
            var beside = operation
            // The answer is in the ledger, so this run neither waits for a card nor needs the
            // reader.
            (beside.needsReader, beside.gate) = (false, StopGate(isOpen: false))
            let answer = try await begin(beside)
            // The command wanted the reader after all.
            guard answer.problem?.kind != .readerBusy else {
                throw .readerTaken(booked)
            }
            return answer
        }
        guard operation.needsReader, atReader != nil else { return try await begin(operation) }
        throw .readerTaken(booked)
    }

    /// Lets a repeated request continue if something with its ID was begun. If the ledger does not
    /// store the IDs of such requests, this one continues only if it needs no card or names one.
    func requireBegun(_ operation: TillOperation) async throws(Problem) {
        guard operation.call.takesOperation else {
            if !operation.needsReader || operation.namedCard != nil { return }
            throw .outcomeUnknownHere
        }
        let booked = await runner.booked(operation.id, by: operation.call)
        // After "not begun", a cashier might charge again what the ledger may have booked.
        if case .notKnown(let error) = booked { throw Problem(error) }
        // The first request may have arrived in the meantime.
        guard running[operation.id] == nil else { return }
        guard admission.goesOn(operation.id, isBegun: booked != .nothing) else {
            throw .notBegun
        }
    }
}
