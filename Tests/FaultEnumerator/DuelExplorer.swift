import FaultyWorld
import SimulatedField

/// How far the schedules of two stations are followed.
struct DuelBounds: Sendable {
    /// Turns before both work to their ends: two more switches than that at most.
    var turns = 2
    /// The same with a fault at any step.
    var turnsWithFault = 1
    var areReadersCareless = false
}

/// Plays every schedule of two stations within its bounds.
struct DuelExplorer {
    let script: Script
    let bounds: DuelBounds
    private(set) var report: DuelReport
    private let world: RestingWorld

    private static let mostSteps = 63

    static func explore(_ script: Script, _ bounds: DuelBounds) async -> DuelReport {
        var explorer = DuelExplorer(
            script: script, bounds: bounds, report: DuelReport(script: script, bounds: bounds),
            world: await script.deed.world(on: script.chip))
        await explorer.explore([])
        return explorer.report
    }

    private mutating func explore(_ turns: [Duel.Turn]) async {
        for steps in 0...DuelExplorer.mostSteps {
            var isWhole = true
            for movesCard in [true, false] {
                let next = turns + [Duel.Turn(steps: steps, movesCard: movesCard)]
                let outcome = await play(next, nil)
                isWhole = outcome.isWhole
                guard isWhole else { break }
                if next.count <= bounds.turnsWithFault { await disturb(next, outcome.steps) }
                if next.count < bounds.turns { await explore(next) }
            }
            // A turn longer than the station has steps is a shorter one.
            guard isWhole else { return }
        }
    }

    private mutating func disturb(_ turns: [Duel.Turn], _ steps: [Step]) async {
        for (number, step) in steps.enumerated().prefix(128) {
            for mishap in DuelExplorer.options(at: step) {
                _ = await play(turns, Duel.Fault(step: number, mishap: mishap))
            }
        }
    }

    private static func options(at step: Step) -> [Mishap] {
        switch step.act {
        case .frame where step.isHeard: [.radio(.pulledAfter), .radioAndBack(.lost)]
        case .write where step.isHeard:
            [
                .radio(.torn(.zero)), .radio(.late), .radioAndBack(.torn(.mix(seed: 1))),
                .killedAfter,
            ]
        case .ledgerWrite: [.commitUnknown, .killedAfter]
        case .frame, .write, .ledgerRead, .service: []
        }
    }

    private mutating func play(_ turns: [Duel.Turn], _ fault: Duel.Fault?) async -> Duel.Outcome {
        let duel = Duel(
            place: script.place, areReadersCareless: bounds.areReadersCareless, turns: turns,
            fault: fault)
        let outcome = await duel.play(
            [script.deed.errand, Deed.next], in: world, keepsWorlds: false)
        if outcome.isWhole || fault != nil {
            report.schedules[fault == nil ? 0 : 1] += 1
            for violation in outcome.violations { report.note(violation, duel) }
        }
        return outcome
    }
}

/// What came of the schedules of two stations.
struct DuelReport: Sendable {
    struct Finding: Sendable {
        let violation: Violation
        let duel: Duel
    }

    let script: Script
    let bounds: DuelBounds
    /// Without a fault and with one.
    var schedules = [0, 0]
    var violationCount = 0
    private(set) var findings: [Invariant: Finding] = [:]

    mutating func note(_ violation: Violation, _ duel: Duel) {
        violationCount += 1
        if let known = findings[violation.invariant], known.duel.length <= duel.length { return }
        findings[violation.invariant] = Finding(violation: violation, duel: duel)
    }
}
