import Ledger
import TapcardDomain

/// A request under an id, and its known outcome, from this tap or before it: the ledger may fail by
/// the time the outcome has to be reported.
struct PendingRequest: Sendable, Hashable {
    /// The requested parameters. All of them belong to the id.
    enum Parameters: Sendable, Hashable {
        case change(CardAction, only: CardUID?)
        case making(CardRequest)
    }

    let id: OperationID
    let parameters: Parameters
    /// The kind of the operation that it asks for.
    var kind: Operation.Kind {
        switch parameters {
        case .change(let action, _): action.kind
        case .making(let cardRequest): cardRequest.kind
        }
    }
    /// Whether the request is refused where its tap has just resolved the same one: a caller that
    /// chose no id may have meant that one.
    let refusesRepetition: Bool
    var operation: Operation?
    /// The operation that may have begun: the disk failed under its first transaction.
    var perhaps: Operation?
    /// The operations that the request has ended on its card, or on the card it replaces.
    var ended: [Operation] = []
    /// Whether the ledger had completed the request before this call.
    var wasDone = false
    /// Whether the tag's protection differed from what the ledger expected.
    var isSetBack = false

    init(_ id: OperationID, _ cardRequest: CardRequest) {
        (self.id, parameters, refusesRepetition) = (id, .making(cardRequest), false)
    }

    init(
        _ id: OperationID, _ action: CardAction, only card: CardUID? = nil,
        refusingRepetition: Bool = false
    ) {
        (self.id, parameters) = (id, .change(action, only: card))
        refusesRepetition = refusingRepetition
    }

    /// Whether the operation under the request's id was begun or resolved here, and not by another
    /// caller while the card was waited for. The id of an attempt to activate is reserved for its
    /// own activation, whichever station writes it.
    func isOurs(_ history: TapHistory) -> Bool {
        if case .change(.activate, _) = parameters { return true }
        return operation != nil || history.resolved.contains { $0.id == id }
    }

    /// Whether the request was not done before this call.
    func isNew(_ history: TapHistory) -> Bool { perhaps != nil || isOurs(history) }

    /// The operation that this tap has resolved and the request would repeat, if any.
    func repetition(in history: TapHistory) -> Operation? {
        guard refusesRepetition, case .change(let action, _) = parameters,
            let done = history.done(action.kind)
        else { return nil }
        switch action {
        case .pay(let money), .add(let money), .ticket(_, let money):
            return done.amount == money.minorUnits ? done : nil
        default: return nil
        }
    }
}

extension Station {
    /// Whether an operation under the request's id matches the request.
    func isAnswered(
        _ request: PendingRequest, by operation: Operation
    ) async throws(LedgerError) -> Bool {
        switch request.parameters {
        case .making(let cardRequest): return cardRequest.isAnswered(by: operation)
        case .change(let action, let card):
            guard card.map(operation.wasTapped) ?? true,
                case .known = try await ledger.repetition(of: action, operation.id)
            else { return false }
            return true
        }
    }

    /// The outcome of a request whose card is gone or cannot be trusted any more. The ledger
    /// decides; if it fails, this tap's own observations do. A committed operation has happened,
    /// whatever the card shows; the next tap resolves the rest. Nil where nothing was begun: then
    /// the error is complete.
    func outcome(
        of request: PendingRequest, _ history: TapHistory, after error: TapcardError
    ) async -> Result<Operation, TapcardError>? {
        let known: Operation?
        do {
            known = try await ledger.answer(to: request.id)
        } catch {
            known = history.seen(request.id) ?? request.operation
            if known == nil, let perhaps = request.perhaps {
                return .failure(
                    TapcardError.perhapsBegun(perhaps, because: TapcardError(error))
                        .retriable(perhaps))
            }
        }
        guard let operation = known else {
            guard error.result == .ledger, let perhaps = request.perhaps else { return nil }
            return .failure(TapcardError.notBegun(perhaps))
        }
        if !request.isOurs(history), (try? await isAnswered(request, by: operation)) == false {
            return .failure(mismatch(operation))
        }
        switch operation.state {
        case .committed: return .success(operation)
        case .pending where error.blamesCard:
            return .failure(error.leavingOpen(operation))
        case _ where error.blamesCard: return nil
        // The error tells why the operation was voided.
        case .voided where error.kind == .lockedTag && operation.kind.switchesProtection:
            return .failure(error)
        case .voided where error.kind == .unusableTag:
            let (what, meaning) = operation.kind.notDone
            return .failure(error.saying(meaning: "\(what) \(meaning)"))
        case .voided: return .failure(voided(operation))
        case .pending:
            let open =
                error.kind == .outcomeUnknown
                ? error : TapcardError.openStill(operation, because: error)
            // To repeat it would not help a tag that cannot take it.
            return .failure(error.blamesTag ? open : open.retriable(operation))
        }
    }
}

extension TapcardError {
    /// The ledger failed while it was to note it, and cannot be asked.
    fileprivate static func perhapsBegun(
        _ perhaps: Operation, because error: TapcardError
    ) -> TapcardError {
        TapcardError(
            .outcomeUnknown,
            "\(error.what) Whether the ledger has the \(perhaps.kind.noun) \(perhaps.id) is not "
                + "known.",
            meaning: "Nothing was written to the card, and nobody was told that it is done.",
            next: [.ledger(.readCardWhenWritable)], uid: perhaps.uid, operation: perhaps.id)
    }

    /// The ledger failed while it was to note it, and says that it has not.
    fileprivate static func notBegun(_ perhaps: Operation) -> TapcardError {
        TapcardError(
            .ledgerUnavailable,
            "The ledger failed while it was being written. The \(perhaps.kind.noun) was not begun.",
            meaning: unchanged, next: [.ledger(.checkDisk)], uid: perhaps.uid)
    }

    /// The error of a request whose outcome is not known, with the way to ask for it again: under
    /// its own id it never happens twice.
    func retriable(_ operation: Operation) -> TapcardError {
        guard kind == .outcomeUnknown, operation.kind.takesIDOfClient else { return self }
        return saying(next: next + [.request(.repeatWithID(operation.id))])
    }

    /// The error names what is wrong with the card, and the operation that stays open on it.
    func leavingOpen(_ open: Operation) -> TapcardError {
        saying(
            "\(what) The \(open.kind.noun) \(open.id) is still open.",
            meaning: open.kind.isBookedAtOnce
                ? "The ledger has the \(open.kind.noun). \(meaning)" : meaning)
    }
}
