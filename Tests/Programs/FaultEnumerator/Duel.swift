import BlockingLane
package import FaultyWorld
import Ledger

/// Two stations with one ledger and one card: the first begins its request, and the second comes in
/// between. A station's step is one frame or one transaction.
package struct Duel: Hashable, Sendable {
    /// What the second station does.
    package enum Second: Int, Sendable, Hashable, CaseIterable {
        /// Another customer pays.
        case payment
        /// The first request is repeated under its id.
        case repetition
        /// An operator blocks the card.
        case block
        /// An operator retires the key that sealed the card's records.
        case retirement

        var words: String {
            switch self {
            case .payment: "pay"
            case .repetition: "the same"
            case .block: "block"
            case .retirement: "keys retire"
            }
        }
    }

    /// A number of steps by one station, before the other one continues.
    package struct Turn: Hashable, Sendable {
        let steps: Int
        /// Whether the card moves to the other station's reader after these steps.
        let movesCard: Bool

        package init(steps: Int, movesCard: Bool) {
            self.steps = steps
            self.movesCard = movesCard
        }
    }

    let place: Int
    let areReadersCareless: Bool
    let second: Second
    /// What an earlier tap left open on the card.
    let opening: Opening
    /// The turns of both stations. After the last one, the station whose turn it is finishes, then
    /// the other one, each with the card on its reader.
    let turns: [Turn]
    let fault: Fault?

    package struct Fault: Hashable, Sendable {
        /// The number of the step, counted over both stations.
        let step: Int
        let mishap: Mishap

        package init(step: Int, mishap: Mishap) {
            self.step = step
            self.mishap = mishap
        }
    }

    package init(
        _ script: Script, areReadersCareless: Bool, second: Second, opening: Opening,
        turns: [Turn], fault: Fault?
    ) {
        place = script.place
        self.areReadersCareless = areReadersCareless
        self.second = second
        self.opening = opening
        self.turns = turns
        self.fault = fault
    }

    func requests(of script: Script) -> [StationRequest] {
        let other =
            switch second {
            case .payment: EnumeratedRequest.next
            case .repetition: script.request.stationRequest
            case .block: EnumeratedRequest.block
            case .retirement: EnumeratedRequest.retire
            }
        return [script.request.stationRequest, other]
    }

    /// The result of playing both stations to their ends.
    struct Outcome {
        let steps: [Step]
        /// Whether every turn had as many steps as planned.
        let isWhole: Bool
        let said: [Said]
        /// The world after both stations have ended.
        let rest: RestingWorld
        let violations: [Violation]
    }

    /// The world after one undisturbed tap, with the violations before and after the tap.
    static func resolved(
        _ rest: RestingWorld
    ) async -> (end: RestingWorld, violations: [Violation]) {
        let before = await rest.broken()
        let (end, violations) = await rest.resolving()
        return (end, before + violations)
    }

    func play(
        _ requests: [StationRequest], in world: RestingWorld, keepsWorlds: Bool,
        twin: LedgerTwin? = nil
    ) async -> Outcome {
        let baton = Baton(stations: 2)
        let scene = Scene(
            world, mishaps: fault.map { [$0.step: $0.mishap] } ?? [:], stations: 2,
            keepsWorlds: keepsWorlds, areReadersCareless: areReadersCareless,
            twin: twin, turn: { await baton.wait($0) })
        let tasks = requests.enumerated().map { station, request in
            Task {
                // The card is on the first station's reader until it is moved.
                await baton.wait(station)
                let before = scene.world.ledger
                let said = await request.run(in: scene, at: station)
                var broken = said.broken(request, from: before, to: scene.world.ledger)
                if second == .repetition || opening != .none, !broken.isEmpty,
                    isAsFarAsItKnew(said, of: request, before, at: station, in: scene)
                {
                    broken.removeAll { $0.invariant == .i6 }
                }
                baton.end(station)
                return (said, broken)
            }
        }
        await baton.untilAllWait()
        var violations: [Violation] = []
        let isWhole = await interleave(baton, scene, &violations)
        var said: [Said] = []
        for task in tasks {
            let (word, broken) = await task.value
            said.append(word)
            violations += broken
        }
        scene.moveCard(to: 0)
        let after = scene.world
        violations += scene.violations + after.touchedTooSoon(since: world)
        return Outcome(
            steps: scene.steps, isWhole: isWhole, said: said, rest: after, violations: violations)
    }

    /// Whether an answer is true as far as its station could know: after its last query, or while
    /// none is answered, the other station may complete the same request.
    private func isAsFarAsItKnew(
        _ said: Said, of request: StationRequest, _ before: LedgerTables, at station: Int,
        in scene: Scene
    ) -> Bool {
        let operation = request.operation(in: scene.world.ledger)
        let hasChangedIt = operation.map { scene.hasChanged($0.id, station) } ?? false
        return scene.answers(to: station).contains { answer in
            guard answer != nil || !hasChangedIt else { return false }
            return said.broken(request, from: before, to: answer ?? before).isEmpty
        }
    }

    /// Takes one step, and checks the rules of the tag after every commit, because the card may be
    /// taken away at that moment.
    private func step(
        _ station: Int, _ baton: Baton, _ scene: Scene, _ found: inout [Violation]
    ) async -> Bool {
        let before = scene.stepCount
        guard await baton.step(station) else { return false }
        if scene.hasCommitted(since: before) { found += scene.world.tagBroken() }
        return true
    }

    private func interleave(
        _ baton: Baton, _ scene: Scene, _ found: inout [Violation]
    ) async -> Bool {
        var station = 0
        var isWhole = true
        for turn in turns {
            for _ in 0..<turn.steps where isWhole {
                isWhole = await step(station, baton, scene, &found)
            }
            station = 1 - station
            if turn.movesCard { scene.moveCard(to: station) }
        }
        for station in [station, 1 - station] {
            scene.moveCard(to: station)
            while await step(station, baton, scene, &found) {}
        }
        return isWhole
    }
}
