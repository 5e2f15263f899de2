import Ledger
import TapcardDomain

/// A request under an ID, with what is known about its outcome: by the time the outcome has to be
/// reported, the ledger may fail.
struct PendingRequest: Sendable, Hashable {
    /// The requested parameters, all of which are tied to the ID.
    enum Parameters: Sendable, Hashable {
        case change(CardAction, only: CardUID?)
        case making(CardRequest)
    }

    let id: OperationID
    let parameters: Parameters
    /// The kind of operation that it asks for.
    var kind: Operation.Kind {
        switch parameters {
        case .change(let action, _): action.kind
        case .making(let cardRequest): cardRequest.kind
        }
    }
    /// The change that it asks for. For a new card, what has to be done is not planned until its
    /// tag is read.
    var action: CardAction {
        guard case .change(let action, _) = parameters else {
            preconditionFailure("a making has a plan instead")
        }
        return action
    }
    /// The only card that it is for; nil for any.
    var only: CardUID? { if case .change(_, let card) = parameters { card } else { nil } }
    /// Whether it is refused if its tap has just resolved an identical request: a caller that chose
    /// no ID may have meant that one.
    let refusesRepetition: Bool
    var operation: Operation?
    /// An operation that may have begun: the disk failed during its first transaction.
    var perhaps: Operation?
    /// The operations that the request ended, on its card or on the card that it replaces.
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

    /// Whether this call, rather than another caller while we waited for the card, began or
    /// resolved the operation under the request's ID. The ID of an activation attempt is reserved
    /// for its own activation, whichever station writes it.
    func isOurs(_ history: TapHistory) -> Bool {
        if case .change(.activate, _) = parameters { return true }
        return operation != nil || history.resolved.contains { $0.id == id }
    }

    /// Whether the request was not done before this call.
    func isNew(_ history: TapHistory) -> Bool { perhaps != nil || isOurs(history) }

    /// The operation that this tap resolved and the request would repeat, if any.
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
