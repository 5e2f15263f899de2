package import Ledger
package import TapcardDomain

/// A change of one card under an id: a payment, funds, a prize, a game.
package struct CardChange: UseCase {
    private var tapping: Tapping<ChangeRequest>

    /// `refusingRepetition` is for callers that chose no id of their own: where the tap has just
    /// settled the same request, it throws instead of repeating it.
    package init(
        _ intent: Intent, _ id: OperationID, only card: CardUID? = nil,
        refusingRepetition: Bool = false
    ) {
        tapping = Tapping(
            ChangeRequest(
                intent,
                PendingRequest(id, intent, only: card, refusingRepetition: refusingRepetition),
                only: card))
    }

    package mutating func step(at station: Station) async throws(TapcardError) -> Receipt? {
        try await tapping.step(at: station)
    }
}

/// A tap that changes the card on the reader.
struct ChangeRequest: TapRequest {
    private let intent: Intent
    private var request: PendingRequest
    private(set) var card: CardUID?

    init(_ intent: Intent, _ request: PendingRequest, only card: CardUID?) {
        (self.intent, self.request, self.card) = (intent, request, card)
    }

    var pending: PendingRequest? { request }

    /// The answer of an earlier call with the same id; `known` if the caller has looked it up
    /// already.
    mutating func recall(at station: Station) async throws(TapcardError) -> Receipt? {
        if request.operation == nil {
            request.operation = try await station.known(request.id, intent, only: card)
        }
        guard let known = request.operation else {
            try station.requireUnderCeilings(intent)
            return nil
        }
        if known.state == .committed { return station.receipt(known, isReplayed: true) }
        card = card ?? known.uid
        return nil
    }

    mutating func carryOut(
        on sight: Sight, _ history: TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<Receipt> {
        try await station.carryOut(intent, on: sight, history, noting: &request)
    }

    func performed(
        _ operation: Operation, _ display: DisplayState, _ history: inout TapHistory,
        at station: Station
    ) throws(Interruption) -> Receipt? {
        try station.performed(operation, display, history)
    }

    func conclude(
        after error: TapcardError, _ history: TapHistory, at station: Station
    ) async -> Result<Receipt, TapcardError>? {
        await station.conclude(request, history, after: error)
    }
}
