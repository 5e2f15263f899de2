import Ledger
import TapcardDomain

/// Finds out what happened to a request, and creates the receipt or the error for it.
struct Answering: StationWork {
    let station: Station

    /// The operation recorded under this ID; nil if there is none. Throws if the operation belongs
    /// to another request or was voided.
    func known(
        _ id: OperationID, _ action: CardAction, only card: CardUID?
    ) async throws(TapcardError) -> Operation? {
        var history = TapHistory()
        return try await known(id, action, only: card, &history)
    }

    /// Looks up the operation as above and, if the tap accepts only one card, that card for the tap.
    func known(
        _ id: OperationID, _ action: CardAction, only card: CardUID?, _ history: inout TapHistory
    ) async throws(TapcardError) -> Operation? {
        let found = try await queryingLedger(
            await ledger.earlierOutcome(of: action, id, besides: card))
        history.recalled = found.card
        switch found.earlier {
        case .known(let operation):
            guard card.map(operation.wasTapped) ?? true else { throw mismatch(operation) }
            if operation.state == .voided { throw voided(operation) }
            return operation
        case .mismatched(let operation): throw mismatch(operation)
        case .begun, .changed, .refused, nil: return nil
        }
    }

    /// Whether an operation with the request's ID matches the request.
    func isAnswered(
        _ request: PendingRequest, by operation: Operation
    ) async throws(LedgerError) -> Bool {
        switch request.parameters {
        case .making(let cardRequest): return cardRequest.isAnswered(by: operation)
        case .change(let action, let card):
            // A request for another card is a different request.
            guard card.map(operation.wasTapped) ?? true,
                case .known = try await ledger.earlierOutcome(of: action, operation.id)
            else { return false }
            return true
        }
    }

    /// Throws if an open operation has the request's ID but different parameters: an operation must
    /// not be finished on behalf of a request for something else.
    func requireMatch(
        _ open: Operation, _ request: PendingRequest
    ) async throws(Interruption) {
        guard open.id == request.id, request.operation == nil else { return }
        if SafetyRule.parametersAtTheTag.isDisabled { return }
        let isSame = try await asking(await isAnswered(request, by: open))
        guard isSame else { throw .refused(mismatch(open)) }
    }

    /// The receipt for an operation. With a tap's history, it also lists the other operations that
    /// the tap resolved.
    func receipt(
        _ operation: Operation, isReplayed: Bool, _ history: TapHistory? = nil,
        _ display: DisplayState? = nil
    ) -> Receipt {
        Receipt(
            operation: operation, amount: operation.change(in: currency),
            balance: Money(minorUnits: operation.balanceAfter ?? 0, currency),
            isReplayed: isReplayed, display: display ?? history?.display ?? .current,
            resolved: history.map { $0.resolved(besides: operation.id, in: currency) } ?? [])
    }

    /// The receipt for a request whose operation has ended; nil while the operation is pending.
    func receiptIfEnded(
        _ operation: Operation, _ history: TapHistory, _ display: DisplayState? = nil,
        isReplayed: Bool = false
    ) throws(Interruption) -> Receipt? {
        switch operation.state {
        case .pending: return nil
        case .voided: throw .refused(voided(operation))
        case .committed:
            return receipt(operation, isReplayed: isReplayed, history, display)
        }
    }

    /// The result of a request whose operation has already ended while its card is still on the
    /// reader. The text for phones is updated first, because it was never updated if the reply to
    /// the commit was lost.
    func ended(
        _ operation: Operation, on reading: CardReading, _ history: TapHistory,
        isReplayed: Bool = false
    ) async throws(Interruption) -> Decision<Receipt> {
        var display = history.display
        if operation.state == .committed, operation.uid == reading.uid, let known = reading.known {
            // If the tag was read before the operation, refreshing would bring the old balance
            // back.
            let isSeen = known.open == nil && known.card.confirmed >= operation.sequence
            display =
                isSeen
                ? await station.faceWriter.refresh(ofResolved: reading, known, history) : .outOfDate
        }
        return Decision(try receiptIfEnded(operation, history, display, isReplayed: isReplayed))
    }

    /// The result of a request whose tap has ended because its card is gone or can no longer be
    /// trusted. Nil if the error already says everything.
    func conclude(
        _ request: PendingRequest, _ history: TapHistory, after error: TapcardError
    ) async -> Result<Receipt, TapcardError>? {
        // The operation with this ID belongs to another request.
        guard error.kind != .operationMismatch else { return nil }
        if let outcome = await outcome(of: request, history, after: error) {
            return outcome.map {
                receipt($0, isReplayed: !request.isNew(history), history, .outOfDate)
            }
        }
        return await resultOfResolving(request, in: history)
    }

    /// The outcome of a request whose card is gone or can no longer be trusted, according to the
    /// ledger or, if the ledger fails, to what this tap has seen. A committed operation has
    /// happened, no matter what is on the card; the next tap updates the card. Nil if nothing was
    /// begun, because the error already says everything.
    func outcome(
        of request: PendingRequest, _ history: TapHistory, after error: TapcardError
    ) async -> Result<Operation, TapcardError>? {
        let known: Operation?
        do {
            known = try await ledger.answer(to: request.id)
        } catch {
            // Without the ledger, there is only what this tap has seen.
            known = history.seen(request.id) ?? request.operation
            if known == nil, let possiblyBegun = request.possiblyBegun {
                return .failure(
                    TapcardError.possiblyBegun(possiblyBegun, because: TapcardError(error))
                        .advisingRetry(possiblyBegun))
            }
        }
        guard let operation = known else {
            // The ledger is responding again and has no such operation, so the transaction whose
            // outcome was unknown has failed.
            guard error.result == .ledger, let possiblyBegun = request.possiblyBegun else {
                return nil
            }
            return .failure(TapcardError.notBegun(possiblyBegun))
        }
        // Another caller may have used this ID while we waited for the card.
        if !request.wasHandledByThisCall(history),
            (try? await isAnswered(request, by: operation)) == false
        {
            return .failure(mismatch(operation))
        }
        switch operation.state {
        case .committed: return .success(operation)
        case .pending where error.isCardAtFault:
            return .failure(error.leavingOpen(operation))
        // A voided operation adds nothing to the error about the card.
        case _ where error.isCardAtFault: return nil
        // The error says why the operation was voided.
        case .voided where error.kind == .lockedTag && operation.kind.changesProtection:
            return .failure(error)
        case .voided where error.kind == .unusableTag:
            let (what, meaning) = operation.kind.notDone
            return .failure(error.reworded(meaning: "\(what) \(meaning)"))
        case .voided: return .failure(voided(operation))
        case .pending:
            let open =
                error.kind == .outcomeUnknown
                ? error : TapcardError.stillOpen(operation, because: error)
            // Repeating the request does not help if the tag cannot be written to.
            return .failure(error.blamesTag ? open : open.advisingRetry(operation))
        }
    }

    /// The result of a request that was not begun, if the result follows from an operation that the
    /// tap resolved: an earlier request to close the card counts as this one, and a caller without
    /// an ID must not repeat an earlier payment.
    private func resultOfResolving(
        _ request: PendingRequest, in history: TapHistory
    ) async -> Result<Receipt, TapcardError>? {
        guard request.operation == nil, case .change(let action, _) = request.parameters
        else { return nil }
        if case .close = action, let done = history.done(.close) {
            return .success(receipt(done, isReplayed: false, history, .outOfDate))
        }
        guard let repeated = request.repetition(in: history) else { return nil }
        return .failure(await justResolved(repeated))
    }

    /// The error; if the card was removed or can never be written to again, it also mentions the
    /// operation that is still open, because "nothing happened" would be wrong.
    func unresolved(
        _ error: TapcardError, _ request: PendingRequest?, _ uid: CardUID?
    ) async -> TapcardError {
        // Only these errors claim that nothing happened.
        let claimsNoChange =
            [.failed, .noCard, .noReader].contains(error.result) || error.isPermanentForTag
        guard claimsNoChange, let uid, let known = try? await ledger.knownCard(of: uid),
            let open = known.open
        else { return error }
        // The request itself did not happen: only the older operation is open.
        if let request, request.id != open.id {
            return error.notBegun(request.kind, after: open)
        }
        guard error.isPermanentForTag else { return TapcardError.stillOpen(open, because: error) }
        // Nobody requested the rewriting of the record, so it is not reported as open.
        return open.kind == .reseal ? error : TapcardError.stillOpen(open, because: error)
    }

    /// The refusal of a request without an ID, because this tap has just resolved an identical one:
    /// the request is more likely to be a retry than a second payment.
    func justResolved(_ done: Operation) async -> TapcardError {
        let amount = Money(minorUnits: done.amount, currency).shown
        let known = try? await ledger.knownCard(of: done.uid)
        let balance = known.map { " The balance is \($0.balance.shown)." } ?? ""
        return TapcardError(
            .justResolved,
            "This tap completed the interrupted \(done.kind.noun) of \(amount), which has now "
                + "been \(done.kind.done) once.",
            meaning: "The same request was refused so that nothing is counted "
                + "twice.\(balance)", uid: done.uid, operation: done.id)
    }

    /// The refusal of a request whose ID was already used for a different request.
    func mismatch(_ operation: Operation) -> TapcardError {
        let amount =
            operation.amount == 0 ? "" : " \(Money(minorUnits: operation.amount, currency))"
        return TapcardError(
            .operationMismatch,
            "Operation ID \(operation.id) already belongs to another request: "
                + "\(operation.kind.rawValue)\(amount) on card \(operation.uid).",
            meaning: TapcardError.unchanged, uid: operation.uid,
            operation: operation.id)
    }

    /// The error for an operation that was voided.
    func voided(_ operation: Operation) -> TapcardError {
        .notDone(operation.kind, Money(minorUnits: operation.amount, currency), operation.uid)
    }

    /// The tickets that can no longer be claimed after this operation. Only the lottery knows their
    /// prizes. Empty if the ledger fails: the operation has already happened, so that is not
    /// reported as an error.
    func ticketsGivenUp(by id: OperationID) async -> [Ticket] {
        (try? await ledger.ticketsGivenUp(by: id)) ?? []
    }
}
