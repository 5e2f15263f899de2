import Ledger
public import TapcardDomain

extension Station {
    /// Scratches the card: after two seconds there is a code. Cancelling before that has no effect.
    public func scratch(id: OperationID) async throws(TapcardError) -> Receipt {
        try await run(Scratching(id))
    }
}

/// The scratching of a card: a tap that finds it, the time that scratching takes, and a tap that
/// writes the code.
package struct Scratching: UseCase {
    private enum Phase: Sendable, Hashable {
        case beginning
        case looking(Tapping<ScratchableCard>)
        case scratching(CardUID, ScratchCode)
        case writing(Tapping<ChangeRequest>)
    }

    private let id: OperationID
    private var phase = Phase.beginning
    /// The operations that the first of the two taps has settled.
    private var settled: [Settled] = []

    package init(_ id: OperationID) { self.id = id }

    package mutating func step(at station: Station) async throws(TapcardError) -> Receipt? {
        switch phase {
        case .beginning:
            let code = station.newID()
            let intent = Intent.scratch(code)
            let known = try await station.known(id, intent, only: nil)
            phase =
                known == nil
                ? .looking(
                    Tapping(ScratchableCard(code: code, request: PendingRequest(id, intent))))
                : .writing(Tapping(ChangeRequest(intent, id, known: known)))
        case .looking(var looking):
            let found: ScratchableCard.Found?
            do throws(TapcardError) {
                found = try await looking.step(at: station)
            } catch {
                // Another station may have done this very request since it was asked for here.
                let intent = Intent.scratch(station.newID())
                guard let known = try? await station.known(id, intent, only: nil) else {
                    throw error
                }
                settled = error.settled
                phase = .writing(Tapping(ChangeRequest(intent, id, known: known)))
                return nil
            }
            phase = .looking(looking)
            guard let found else { return nil }
            settled = found.settled
            phase = .scratching(found.uid, found.code)
        case .scratching(let uid, let code):
            try await scratch(uid, at: station)
            phase = .writing(Tapping(ChangeRequest(.scratch(code), id, only: uid)))
        case .writing(var writing):
            defer { phase = .writing(writing) }
            do throws(TapcardError) {
                return try await writing.step(at: station)?.telling(settled)
            } catch {
                throw error.telling(settled)
            }
        }
        return nil
    }

    private func scratch(_ uid: CardUID, at station: Station) async throws(TapcardError) {
        station.surroundings.progress(.scratching)
        do {
            try await station.surroundings.sleep(station.settings.scratching)
        } catch {
            throw TapcardError(
                .cancelled, "Scratching was stopped.",
                meaning: "The card is still unscratched and there is no code.", uid: uid
            ).telling(settled)
        }
    }
}

/// A tap that finds a card to scratch, before the scratching begins.
private struct ScratchableCard: TapRequest {
    struct Found: Sendable {
        let uid: CardUID
        let code: ScratchCode
        let settled: [Settled]
    }

    let code: ScratchCode
    let request: PendingRequest

    var pending: PendingRequest? { request }
    var card: CardUID? { nil }

    func carryOut(
        on sight: Sight, _ history: inout TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<Found> {
        guard let view = sight.view else {
            throw try await station.strangerRefusal(sight)
        }
        do {
            try view.admits(.scratch(code))
        } catch {
            throw .refused(TapcardError(error, uid: sight.uid))
        }
        try station.requireRoom(for: .scratch(code), on: sight)
        return .done(
            Found(
                uid: sight.uid, code: code,
                settled: station.settled(history, besides: request.id)))
    }
}
