import BlockingLane
import FaultyWorld
import Type2Tag

/// Two stations with one ledger and one card: the first begins its deed, the other customer's
/// payment comes in between. A station's step is one frame or one transaction.
struct Duel: Hashable {
    /// One station works for so many of its steps; then the other one.
    struct Turn: Hashable {
        let steps: Int
        /// Whether the card goes to the other station's reader at the end of it.
        let movesCard: Bool
    }

    let place: Int
    let areReadersCareless: Bool
    /// Behind them the station whose turn it is works to its end, then the other one, each with
    /// the card on its reader.
    let turns: [Turn]
    let fault: Fault?

    struct Fault: Hashable {
        /// Counted over both stations.
        let step: Int
        let mishap: Mishap
    }

    /// What became of it.
    struct Outcome {
        let steps: [Step]
        /// Whether every turn was as long as it was to be.
        let isWhole: Bool
        let said: [Said]
        let end: RestingWorld
        let violations: [Violation]
    }

    func play(
        _ errands: [Errand], in world: RestingWorld, keepsWorlds: Bool
    ) async -> Outcome {
        let baton = Baton(stations: 2)
        let scene = Scene(
            world, mishaps: fault.map { [$0.step: $0.mishap] } ?? [:], stations: 2,
            keepsWorlds: keepsWorlds, areReadersCareless: areReadersCareless,
            turn: { await baton.wait($0) })
        let tasks = errands.enumerated().map { station, errand in
            Task {
                // The card lies on the first one's reader until somebody moves it.
                await baton.wait(station)
                let said = await errand.run(in: scene, at: station)
                baton.end(station)
                return said
            }
        }
        await baton.settled()
        let isWhole = await interleave(baton, scene)
        var said: [Said] = []
        for task in tasks { said.append(await task.value) }
        scene.moveCard(to: 0)
        let after = scene.world
        var violations = scene.violations
        for (errand, said) in zip(errands, said) {
            violations += said.broken(errand, in: after.ledger)
        }
        violations += await after.broken()
        let (end, more) = await after.settling()
        return Outcome(
            steps: scene.steps, isWhole: isWhole, said: said, end: end,
            violations: violations + more)
    }

    private func interleave(_ baton: Baton, _ scene: Scene) async -> Bool {
        var station = 0
        var isWhole = true
        for turn in turns {
            for _ in 0..<turn.steps where isWhole { isWhole = await baton.step(station) }
            station = 1 - station
            if turn.movesCard { scene.moveCard(to: station) }
        }
        for station in [station, 1 - station] {
            scene.moveCard(to: station)
            while await baton.step(station) {}
        }
        return isWhole
    }
}
