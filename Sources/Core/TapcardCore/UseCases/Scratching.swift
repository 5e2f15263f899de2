import Ledger
package import TapcardDomain

/// Scratches a card: one tap finds the card, then the station waits for as long as scratching
/// takes, and a second tap writes the code.
package struct Scratching: UseCase {
    private enum Phase: Sendable, Hashable {
        case beginning
        case finding(FindScratchableCard)
        case scratching(CardUID, ScratchCode)
        case writing(CardChange)
    }

    private let id: OperationID
    private var phase = Phase.beginning
    /// The operations that the first tap resolved.
    private var resolved: [ResolvedOperation] = []

    package init(_ id: OperationID) { self.id = id }

    package mutating func step(at station: Station) async throws(TapcardError) -> Receipt? {
        switch phase {
        case .beginning:
            let code = station.newID()
            let action = CardAction.scratch(code)
            if let known = try await station.answering.known(id, action, only: nil) {
                phase = .writing(CardChange(action, id, known: known))
            } else {
                phase = .finding(
                    FindScratchableCard(code: code, request: PendingRequest(id, action)))
            }
        case .finding(var finding):
            let found: FindScratchableCard.Found?
            do throws(TapcardError) {
                found = try await finding.step(at: station)
            } catch {
                // Another station may have handled the same request in the meantime.
                let action = CardAction.scratch(station.newID())
                guard let known = try? await station.answering.known(id, action, only: nil) else {
                    throw error
                }
                resolved = error.resolved
                phase = .writing(CardChange(action, id, known: known))
                return nil
            }
            phase = .finding(finding)
            guard let found else { return nil }
            resolved = found.resolved
            phase = .scratching(found.uid, found.code)
        case .scratching(let uid, let code):
            try await scratch(uid, at: station)
            // Nothing is recorded before this point, so canceling leaves the card unscratched.
            phase = .writing(CardChange(.scratch(code), id, only: uid))
        case .writing(var writing):
            defer { phase = .writing(writing) }
            return try await translating(
                awaiting: await writing.step(at: station)?.reporting(resolved)
            ) { (error: TapcardError) in error.reporting(resolved) }
        }
        return nil
    }

    private func scratch(_ uid: CardUID, at station: Station) async throws(TapcardError) {
        station.dependencies.progress(.scratching)
        try await translating(
            awaiting: await station.dependencies.sleep(station.settings.scratching)
        ) { (_: any Error) in
            TapcardError(
                .cancelled, "Scratching was canceled.",
                meaning: "The card is still unscratched and has no code.", uid: uid
            ).reporting(resolved)
        }
    }
}

/// The tap that finds the card to scratch, before scratching begins.
private struct FindScratchableCard: TapUseCase {
    struct Found: Sendable {
        let uid: CardUID
        let code: ScratchCode
        let resolved: [ResolvedOperation]
    }

    var tap = Tap()
    let code: ScratchCode
    let request: PendingRequest

    var pending: PendingRequest? { request }
    var card: CardUID? { nil }
    // The signal comes when the card has been scratched.
    var changesCard: Bool { false }

    func carryOut(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<Found> {
        guard let known = reading.known else {
            throw try await station.unknownTags.refusal(reading)
        }
        // A card that cannot be scratched is refused now, before scratching begins, rather than at
        // the second tap.
        try translating(known.admits(.scratch(code))) { (error: Refusal) in
            Interruption.refused(error, uid: reading.uid)
        }
        try station.faceWriter.requireRoom(for: .scratch(code), on: reading)
        return .done(
            Found(
                uid: reading.uid, code: code,
                resolved: tap.history.resolved(besides: request.id, in: station.currency)))
    }
}
