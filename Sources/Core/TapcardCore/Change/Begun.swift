import Ledger
import TapcardDomain

/// Remembers what is asked for and what has begun, in this tap or before it, for the case that the
/// ledger cannot be asked any more.
final class Begun {
    /// The parameters of a request. All of them belong to its id.
    enum Asked {
        case change(Intent, only: CardUID?)
        case making(CardOrder)
    }

    let asked: Asked
    /// Whether the request is refused where its tap has just settled the same one: whoever chose
    /// no id cannot have meant another one.
    let refusesRepetition: Bool
    var operation: Operation?
    /// What may have begun: the disk failed under its first transaction.
    var perhaps: Operation?
    /// The operations that the request has ended on its card, or on the card it replaces.
    var ended: [Operation] = []
    /// Whether the ledger had the request as done before this call.
    var wasDone = false
    /// The tag's protection was not as it should have been.
    var isSetBack = false

    init(_ order: CardOrder) { (asked, refusesRepetition) = (.making(order), false) }

    init(_ intent: Intent, only card: CardUID? = nil, refusingRepetition: Bool = false) {
        (asked, refusesRepetition) = (.change(intent, only: card), refusingRepetition)
    }

    /// Whether what the ledger has under the request's id was begun or settled here, and not by
    /// another caller while the card was waited for. Under the id of an attempt to activate there
    /// is only what comes of it, whoever has written that.
    func isOurs(_ id: OperationID, _ state: TapState) -> Bool {
        if case .change(.activate, _) = asked { return true }
        return operation != nil || state.settled.contains { $0.id == id }
    }

    /// Whether the request is a new one for the caller, and not one that was done before.
    func isNew(_ id: OperationID, _ state: TapState) -> Bool {
        perhaps != nil || isOurs(id, state)
    }

    /// The operation that this tap has settled and the request would repeat, if any.
    func repetition(in state: TapState) -> Operation? {
        guard refusesRepetition, case .change(let intent, _) = asked,
            let done = state.done(intent.kind)
        else { return nil }
        switch intent {
        case .pay(let money), .add(let money), .ticket(_, let money):
            return done.amount == money.minorUnits ? done : nil
        default: return nil
        }
    }
}

extension Station {
    /// Whether an operation under the request's id is what was asked for.
    func isAnswered(_ begun: Begun, by operation: Operation) async throws(LedgerError) -> Bool {
        switch begun.asked {
        case .making(let order): return order.isAnswered(by: operation)
        case .change(let intent, let card):
            guard card == nil || card == operation.uid,
                case .known = try await ledger.repetition(of: intent, operation.id)
            else { return false }
            return true
        }
    }
}
