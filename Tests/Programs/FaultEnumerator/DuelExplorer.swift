import FarLedger
import FaultyWorld
import Ledger
import SimulatedReader
import Tags
import TapcardDomain

/// Limits on the schedules of two stations.
struct DuelBounds: Sendable {
    /// The most turns before both stations finish, which adds at most two more switches.
    var turns = 2
    /// The most turns of a schedule in which a fault is tried at every step.
    var turnsWithFault = 1
    var areReadersCareless = false
    var second = Duel.Second.payment
    /// What an earlier tap left open on the card.
    var opening = Opening.none
    /// Whether every mishap is tried, or only the few that change most.
    var isThorough = false
    /// The schedules that are also played over a ledger in PostgreSQL; nil for none.
    var sample: Sample?
}

/// A random sample of the schedules, one of this many.
struct Sample: Sendable {
    let one: UInt64
    let seed: UInt64

    /// Depends only on the schedule's number and the seed.
    func contains(_ number: UInt64) -> Bool {
        var mixed = (number ^ seed &* 0x9E37_79B9_7F4A_7C15) &* 0xD1B5_4A32_D192_ED03
        mixed = (mixed ^ mixed >> 32) &* 0x9E37_79B9_7F4A_7C15
        return (mixed >> 32) % one == 0
    }
}

/// Plays every schedule of two stations within the bounds.
struct DuelExplorer {
    let script: Script
    let bounds: DuelBounds
    private(set) var report: DuelReport
    private let world: RestingWorld
    private var far: FarLedger?
    private var twin: LedgerTwin?
    private var resolved: [RestingWorld: Rested] = [:]
    private var ends: Set<RestingWorld> = []
    private var pairs: Set<ImageBesideLedger> = []

    static func explore(_ script: Script, _ bounds: DuelBounds) async -> DuelReport {
        var explorer = DuelExplorer(
            script: script, bounds: bounds, report: DuelReport(script: script, bounds: bounds),
            world: await bounds.opening.world(of: script))
        if bounds.sample != nil { await explorer.connect() }
        await explorer.explore([])
        explorer.disconnect()
        explorer.report.ends = explorer.ends.count
        explorer.report.images = explorer.pairs.count
        return explorer.report
    }

    private mutating func explore(_ turns: [Duel.Turn]) async {
        for steps in 0...Duel.mostTurnSteps {
            // After the last turn the card moves in any case.
            let next = turns + [Duel.Turn(steps: steps, movesCard: true)]
            let outcome = await play(next, nil)
            // A turn longer than the station has steps equals a shorter one.
            guard outcome.isWhole else { return }
            if next.count <= bounds.turnsWithFault { await disturb(next, outcome.steps) }
            guard next.count < bounds.turns else { continue }
            await explore(next)
            await explore(turns + [Duel.Turn(steps: steps, movesCard: false)])
        }
        report.stepsCut += 1
    }

    private mutating func disturb(_ turns: [Duel.Turn], _ steps: [Step]) async {
        if steps.count > Duel.mostFaultSteps { report.stepsCut += 1 }
        for (number, step) in steps.enumerated().prefix(Duel.mostFaultSteps) {
            let mishaps =
                bounds.isThorough
                ? DuelExplorer.every(at: step) : DuelExplorer.options(at: step)
            for mishap in mishaps {
                _ = await play(turns, Duel.Fault(step: number, mishap: mishap))
            }
        }
    }

    private static func every(at step: Step) -> [Mishap] {
        var mishaps = [.killedBefore, .killedAfter] + Mishap.options(at: step)
        if case .write(_, let old, let new) = step.act, step.isHeard {
            mishaps += TornPage.contents(old: old, new: new, .few).map { .radio(.torn($0.way)) }
        }
        return mishaps
    }

    private static func options(at step: Step) -> [Mishap] {
        switch step.act {
        case .frame where step.isHeard, .command(_, isWrite: false) where step.isHeard:
            [.radio(.pulledAfter), .radioAndBack(.lost)]
        case .write where step.isHeard:
            [
                .radio(.torn(.zero)), .radio(.late), .radioAndBack(.torn(.mix(seed: 1))),
                .killedAfter,
            ]
        case .command where step.isHeard:
            [
                .radio(.torn(.zero)), .radio(.late), .radioAndBack(.acknowledgeLost), .killedAfter,
            ]
        case .ledgerWrite: [.commitUnknown, .killedAfter]
        case .frame, .write, .command, .ledgerRead, .service: []
        }
    }

    private mutating func play(_ turns: [Duel.Turn], _ fault: Duel.Fault?) async -> Duel.Outcome {
        let duel = Duel(
            script, areReadersCareless: bounds.areReadersCareless,
            second: bounds.second, opening: bounds.opening, turns: turns,
            fault: fault)
        let outcome = await duel.play(duel.requests(of: script), in: world, keepsWorlds: false)
        guard bounds.sample == nil else { return await playFar(duel, outcome) }
        report.executions += 2
        // A turn cut short by the fault equals a shorter turn, which is counted as such.
        guard outcome.isWhole else { return outcome }
        report.schedules[fault == nil ? 0 : 1] += 1
        let (end, violations) = await resolved(outcome.rest)
        for violation in outcome.violations + violations {
            report.note(violation, duel, "two stations")
        }
        if ends.insert(end).inserted {
            report.executions += 1
            for violation in await end.restless() {
                report.note(violation, duel, "behind both")
            }
        }
        for image in [world.memory, outcome.rest.memory] {
            let pair = ImageBesideLedger(
                image: image, ledger: end.ledger, active: end.active)
            guard pairs.insert(pair).inserted else { continue }
            report.executions += 1
            for violation in await end.puttingBack(image) {
                report.note(violation, duel, "two stations, and an earlier image put back")
            }
        }
        return outcome
    }

    // MARK: Over PostgreSQL

    private mutating func connect() async {
        do {
            far = try await FarLedger(holding: world.ledger)
            twin = far?.twin(stations: 2)
        } catch {
            report.differences.append("there is no server: \(error)")
        }
    }

    private mutating func disconnect() {
        report.transactions = twin?.transactions ?? 0
        twin = nil
        try? far?.remove()
    }

    /// Plays a schedule with a ledger in PostgreSQL that carries out each transaction as well and
    /// must answer like the one in memory, for which everything else is checked.
    private mutating func playFar(_ duel: Duel, _ expected: Duel.Outcome) async -> Duel.Outcome {
        guard expected.isWhole, bounds.sample?.contains(duel.number) == true, let far, let twin
        else { return expected }
        do { try far.reset() } catch { report.differences.append("\(error)") }
        let known = twin.differences.count
        let outcome = await duel.play(
            duel.requests(of: script), in: world, keepsWorlds: false, twin: twin)
        await twin.compare(with: outcome.rest.ledger)
        if let first = twin.differences.dropFirst(known).first {
            report.differences.append("schedule \(duel.number), \(first)")
        }
        report.executions += 2
        report.schedules[duel.fault == nil ? 0 : 1] += 1
        ends.insert(outcome.rest)
        if outcome.rest != expected.rest {
            report.differences.append("schedule \(duel.number) ends in another world")
        }
        for violation in outcome.violations { report.note(violation, duel, "over PostgreSQL") }
        return expected
    }

    /// The world after an undisturbed tap, computed once for equal worlds.
    private mutating func resolved(_ rest: RestingWorld) async -> Rested {
        if let known = resolved[rest] { return known }
        report.executions += 1
        let found = await Duel.resolved(rest)
        resolved[rest] = found
        return found
    }

    private typealias Rested = (end: RestingWorld, violations: [Violation])

    private struct ImageBesideLedger: Hashable {
        let image: CardMemory
        let ledger: LedgerTables
        let active: Set<ScratchCode>
    }
}

/// The result of the schedules of two stations.
struct DuelReport: Sendable {
    struct Finding: Sendable {
        let violation: Violation
        let duel: Duel
        let moment: String
    }

    let script: Script
    let bounds: DuelBounds
    /// The number of schedules without a fault and with one.
    var schedules = [0, 0]
    var executions = 0
    /// How many different worlds were left, and pairs of a ledger and an earlier image put back.
    var ends = 0
    var images = 0
    /// How many taps had more steps than a number can hold.
    var stepsCut = 0
    /// How many transactions PostgreSQL carried out, and where it differed.
    var transactions = 0
    var differences: [String] = []
    var violationCount = 0
    private(set) var findings: [Invariant: Finding] = [:]

    mutating func note(_ violation: Violation, _ duel: Duel, _ moment: String) {
        violationCount += 1
        if let known = findings[violation.invariant], known.duel.length <= duel.length { return }
        findings[violation.invariant] = Finding(
            violation: violation, duel: duel, moment: moment)
    }
}
