import Ledger
import TapcardDomain

/// Remembers what has begun, in this tap or before it, for the case that the ledger cannot be
/// asked any more.
final class Begun {
    /// What is asked for, and of which card; nil where a card is made.
    let request: (intent: Intent, card: CardUID?)?
    var operation: Operation?
    /// What may have begun: the disk failed under its first transaction.
    var perhaps: Operation?
    /// The tag's protection was not as it should have been.
    var isSetBack = false

    /// For the making of a card.
    init() { request = nil }

    init(_ intent: Intent, only card: CardUID? = nil) { request = (intent, card) }

    /// Whether what the ledger has under the request's id was begun or settled here, and not by
    /// somebody else while the card was waited for. Under the id of an attempt to activate there is
    /// nothing but what comes of it, whoever has written that.
    func isOurs(_ id: OperationID, _ state: TapState) -> Bool {
        if case .activate = request?.intent { return true }
        return operation != nil || perhaps != nil || state.settled?.id == id
    }
}

extension Station {
    /// Whether what somebody else has done under the id is what is asked for here.
    func isAnswered(_ begun: Begun, by operation: Operation) async throws(LedgerError) -> Bool {
        guard let (intent, card) = begun.request else { return true }
        guard card == nil || card == operation.uid else { return false }
        guard case .known = try await ledger.repetition(of: intent, operation.id) else {
            return false
        }
        return true
    }
}
