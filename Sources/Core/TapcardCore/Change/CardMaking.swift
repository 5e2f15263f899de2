import Ledger
package import TapcardDomain

/// The making of a card. It finishes an interrupted making of the same card.
package struct CardMaking: UseCase {
    private var tapping: Tapping<MakingRequest>

    package init(_ order: CardOrder, _ id: OperationID) {
        tapping = Tapping(MakingRequest(order, id))
    }

    package mutating func step(at station: Station) async throws(TapcardError) -> CardReading? {
        try await tapping.step(at: station)
    }
}

private struct MakingRequest: TapRequest {
    private let order: CardOrder
    private var request: PendingRequest

    init(_ order: CardOrder, _ id: OperationID) {
        (self.order, request) = (order, PendingRequest(id, order))
    }

    var pending: PendingRequest? { request }
    var card: CardUID? { nil }
    var isThorough: Bool { true }

    mutating func recall(at station: Station) async throws(TapcardError) -> CardReading? {
        request.operation = try await station.known(request.id, order)
        if request.operation == nil { try station.requireUnderCeilings(order.origin) }
        request.wasDone = request.operation?.state == .committed
        return nil
    }

    /// An operator who orders a reissue knows that the card cannot be trusted.
    mutating func examine(
        _ sight: Sight, _ history: inout TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<CardReading> {
        guard order.mayReissue, sight.view?.open?.kind.makesCard != true,
            request.operation == nil, station.verdict(on: sight) != nil
        else { return .goOn }
        return try await station.make(order, of: sight, noting: &request)
    }

    mutating func carryOut(
        on sight: Sight, _ history: TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<CardReading> {
        if let making = request.operation {
            guard making.uid == sight.uid else { throw .refused(station.mismatch(making)) }
            return try await station.finish(request.id, sight, history, request)
        }
        if let settled = history.made,
            try await station.isDone(order, by: settled, sight.view)
        {
            return try await station.finish(settled.id, sight, history, request)
        }
        return try await station.make(order, of: sight, noting: &request)
    }

    func conclude(
        after error: TapcardError, _ history: TapHistory, at station: Station
    ) async -> Result<CardReading, TapcardError>? {
        await station.concludeMaking(request, history, after: error)
    }
}
