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
    /// The change that it asks for. What a making is to do is planned when its tag was read.
    var action: CardAction {
        guard case .change(let action, _) = parameters else {
            preconditionFailure("a making has a plan instead")
        }
        return action
    }
    /// The only card that it is for; nil for any.
    var only: CardUID? { if case .change(_, let card) = parameters { card } else { nil } }
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
