import Ledger
import TapcardDomain

/// A request under an id, and its known outcome, from this tap or before it: the ledger may fail by
/// the time the outcome has to be reported.
struct PendingRequest: Sendable, Hashable {
    /// The requested parameters. All of them belong to the id.
    enum Parameters: Sendable, Hashable {
        case change(Intent, only: CardUID?)
        case making(CardOrder)
    }

    let id: OperationID
    let parameters: Parameters
    /// Whether the request is refused where its tap has just settled the same one: a caller that
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

    init(_ id: OperationID, _ order: CardOrder) {
        (self.id, parameters, refusesRepetition) = (id, .making(order), false)
    }

    init(
        _ id: OperationID, _ intent: Intent, only card: CardUID? = nil,
        refusingRepetition: Bool = false
    ) {
        (self.id, parameters) = (id, .change(intent, only: card))
        refusesRepetition = refusingRepetition
    }

    /// Whether the operation under the request's id was begun or settled here, and not by another
    /// caller while the card was waited for. The id of an attempt to activate is reserved for its
    /// own activation, whichever station writes it.
    func isOurs(_ history: TapHistory) -> Bool {
        if case .change(.activate, _) = parameters { return true }
        return operation != nil || history.settled.contains { $0.id == id }
    }

    /// Whether the request was not done before this call.
    func isNew(_ history: TapHistory) -> Bool { perhaps != nil || isOurs(history) }

    /// The operation that this tap has settled and the request would repeat, if any.
    func repetition(in history: TapHistory) -> Operation? {
        guard refusesRepetition, case .change(let intent, _) = parameters,
            let done = history.done(intent.kind)
        else { return nil }
        switch intent {
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
        case .making(let order): return order.isAnswered(by: operation)
        case .change(let intent, let card):
            guard card == nil || card == operation.uid,
                case .known = try await ledger.repetition(of: intent, operation.id)
            else { return false }
            return true
        }
    }
}
