import FaultyWorld
import SimulatedField
import Type2Tag

/// One tap over one world, with every fault that the budget allows, at every step.
///
/// Two things are not run but read off: a process that is killed leaves the world as it was at
/// that step; and once the card is gone, what its torn page holds changes nothing of what the
/// station still does. Where a single fault is tried, `checkOutcomes` shows that it is so.
struct Play {
    /// A world that some schedules lead to.
    struct Outcome {
        let world: RestingWorld
        let faults: [PlacedFault]
        /// How many schedules: ways to tear a page may leave the same.
        let copies: Int
    }

    let errand: Errand
    let tap: Int
    let world: RestingWorld
    let bounds: Bounds
    private(set) var outcomes: [Outcome] = []
    private(set) var violations: [(violation: Violation, faults: [PlacedFault])] = []
    private(set) var executions = 0
    /// Faults that were left out because a tap took more steps than a number can tell.
    private(set) var stepsCut = 0

    init(errand: Errand, tap: Int, world: RestingWorld, bounds: Bounds) {
        self.errand = errand
        self.tap = tap
        self.world = world
        self.bounds = bounds
    }

    /// A page that was torn as the card left, in every way it can be.
    private struct Tear {
        let place: Int
        let page: UInt8
        let contents: [(page: Page, way: TornPage, ways: Int)]
    }

    mutating func run(budget: Int) async { await run([], from: 0, budget, torn: nil) }

    private mutating func run(
        _ faults: [PlacedFault], from first: Int, _ budget: Int, torn: Tear?
    ) async {
        let mishaps = Dictionary(uniqueKeysWithValues: faults.map { ($0.step, $0.mishap) })
        let played = await Tap.play(
            errand, in: world, mishaps: mishaps, keepsWorlds: budget > 0)
        executions += 1
        for violation in played.violations { violations.append((violation, faults)) }
        arrive(played.world, faults, torn)
        guard budget > 0 else { return }
        var before = world
        for (number, step) in played.steps.enumerated().dropFirst(first) {
            guard number < ScheduleNumber.mostSteps else {
                stepsCut += 1
                break
            }
            func fault(_ mishap: Mishap) -> [PlacedFault] {
                faults + [PlacedFault(tap: tap, step: number, mishap: mishap)]
            }
            if number > 0 { before = played.steps[number - 1].after ?? before }
            arrive(before, fault(.killedBefore), torn)
            arrive(step.after ?? before, fault(.killedAfter), torn)
            for mishap in Mishap.options(at: step) {
                await run(fault(mishap), from: number + 1, budget - 1, torn: torn)
            }
            if case .write(let page, let old, let new) = step.act, step.isHeard, torn == nil {
                let tear = Tear(
                    place: faults.count, page: page,
                    contents: TornPage.contents(old: old, new: new, bounds.classes))
                await run(fault(.radio(.torn(.zero))), from: number + 1, budget - 1, torn: tear)
            }
        }
    }

    /// Plays every outcome that was read off, and counts those that come out otherwise.
    mutating func checkOutcomes() async -> Int {
        var differences = 0
        for outcome in outcomes {
            let mishaps = Dictionary(
                uniqueKeysWithValues: outcome.faults.map { ($0.step, $0.mishap) })
            let played = await Tap.play(errand, in: world, mishaps: mishaps)
            if played.world != outcome.world { differences += 1 }
        }
        executions += outcomes.count
        return differences
    }

    private mutating func arrive(_ world: RestingWorld, _ faults: [PlacedFault], _ torn: Tear?) {
        guard let torn else {
            outcomes.append(Outcome(world: world, faults: faults, copies: 1))
            return
        }
        for content in torn.contents {
            var world = world
            world.tag[torn.page] = content.page
            var faults = faults
            let fault = faults[torn.place]
            faults[torn.place] = PlacedFault(
                tap: fault.tap, step: fault.step, mishap: .radio(.torn(content.way)))
            outcomes.append(Outcome(world: world, faults: faults, copies: content.ways))
        }
    }
}
