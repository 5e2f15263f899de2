import Ledger
import TapcardDomain

/// A request with an ID, and what is known about its outcome. The outcome is kept here because the
/// ledger may have failed by the time the outcome has to be reported.
struct PendingRequest: Sendable, Hashable {
    /// The request's parameters, all of which are bound to its ID.
    enum Parameters: Sendable, Hashable {
        case change(CardAction, only: CardUID?)
        case making(CardRequest)
    }

    let id: OperationID
    let parameters: Parameters
    /// The kind of the requested operation.
    var kind: Operation.Kind {
        switch parameters {
        case .change(let action, _): action.kind
        case .making(let cardRequest): cardRequest.kind
        }
    }
    /// The requested change. A request for a new card has none, because its change is planned only
    /// after the tag has been read.
    var action: CardAction {
        guard case .change(let action, _) = parameters else {
            preconditionFailure("a request for a new card has a plan instead")
        }
        return action
    }
    /// The only card that the request accepts; nil if any card will do.
    var only: CardUID? { if case .change(_, let card) = parameters { card } else { nil } }
    /// Whether to refuse the request if its tap has just resolved an identical one. A caller that
    /// did not choose an ID may have meant the earlier request.
    let refusesIfJustResolved: Bool
    /// The operation with the request's ID, once it is certain that the operation has begun.
    var operation: Operation?
    /// An operation that may have begun: the outcome of its first transaction is unknown.
    var possiblyBegun: Operation?
    /// The open operations that the request ended, on its own card or on the card that it replaces.
    var ended: [Operation] = []
    /// Whether the ledger had completed the request before this call.
    var wasDone = false
    /// Whether the tag's protection differed from the protection that the ledger expected it to
    /// have.
    var protectionDiffered = false

    init(_ id: OperationID, _ cardRequest: CardRequest) {
        (self.id, parameters, refusesIfJustResolved) = (id, .making(cardRequest), false)
    }

    init(
        _ id: OperationID, _ action: CardAction, only card: CardUID? = nil,
        refusingIfJustResolved: Bool = false
    ) {
        (self.id, parameters) = (id, .change(action, only: card))
        refusesIfJustResolved = refusingIfJustResolved
    }

    /// Whether the operation with the request's ID was begun or resolved by this call, and not by
    /// another caller while this one waited for the card. An activation attempt's ID is used only
    /// for its activation, regardless of which station writes that activation to the card.
    func wasHandledByThisCall(_ history: TapHistory) -> Bool {
        if case .change(.activate, _) = parameters { return true }
        return operation != nil || history.resolved.contains { $0.id == id }
    }

    /// Whether this call did the work, so that its receipt is not a replay.
    func isNew(_ history: TapHistory) -> Bool {
        possiblyBegun != nil || wasHandledByThisCall(history)
    }

    /// The operation resolved by this tap that the request would repeat, if any.
    func repetition(in history: TapHistory) -> Operation? {
        guard refusesIfJustResolved, case .change(let action, _) = parameters,
            let done = history.done(action.kind)
        else { return nil }
        switch action {
        case .pay(let money, _), .credit(let money, _), .add(let money, _), .ticket(_, let money):
            // A different amount means that this is a different request.
            return done.amount == money.minorUnits ? done : nil
        default: return nil
        }
    }
}
