import FaultyWorld
import SimulatedReader
import Tags

/// One tap in one world, with every fault at every step that the budget allows.
///
/// The tap is saved between two steps of its use case. Equal saved taps are continued once and
/// count for all schedules that led to them. Two results are derived without a run: a killed
/// process leaves the world as it was at that step, and once the card is gone, the content of its
/// torn page does not affect the station. With a single fault, `checkOutcomes` plays each schedule
/// from its start to confirm this.
struct Play {
    /// A world that some schedules lead to.
    struct Outcome {
        let world: RestingWorld
        /// The faults of the shortest schedule.
        let faults: [PlacedFault]
        /// How many schedules lead here, as several ways of tearing a page may leave equal
        /// contents.
        let copies: Int
    }

    /// A page that was torn as the card left, with every content it may have.
    private struct Tear: Hashable {
        /// The index of the fault that tore it.
        let fault: Int
        let page: UInt8
        let contents: [TornPage.Content]
    }

    /// A saved tap, with what must be known of the schedules that led to it. The hash is computed
    /// once, because it takes longer than a step of the tap.
    private struct Moment: Hashable {
        let saved: SavedTap
        let faultCount: Int
        let tear: Tear?
        private let hash: Int

        init(saved: SavedTap, faultCount: Int, tear: Tear?) {
            (self.saved, self.faultCount, self.tear) = (saved, faultCount, tear)
            var hasher = Hasher()
            hasher.combine(saved)
            hasher.combine(faultCount)
            hasher.combine(tear)
            hash = hasher.finalize()
        }

        func hash(into hasher: inout Hasher) { hasher.combine(hash) }
    }

    private enum Target {
        case moment(Int)
        case end(RestingWorld)
    }

    /// One step of the use case, with the mishaps at the station's steps.
    private struct Edge {
        let mishaps: [(step: Int, mishap: Mishap)]
        let stepCount: Int
        let target: Target
        let tear: Tear?
        let violations: [Violation]
    }

    /// The schedules that lead to a moment.
    private struct Arrivals {
        /// How many there are, with the faults and the length of the shortest.
        private(set) var copies = 0
        private(set) var faults: [PlacedFault] = []
        var stepCount = 0

        init() {}

        /// The arrival at the start of the tap.
        init(copies: Int) { self.copies = copies }

        mutating func add(_ more: Int, _ faults: [PlacedFault], _ stepCount: Int) {
            let isFirst = copies == 0
            copies += more
            guard isFirst || Arrivals.depth(faults) < Arrivals.depth(self.faults) else { return }
            (self.faults, self.stepCount) = (faults, stepCount)
        }

        /// The sum by which, of two schedules with equally many faults, the one with earlier faults
        /// is kept.
        private static func depth(_ faults: [PlacedFault]) -> Int {
            faults.reduce(0) { $0 + $1.step }
        }
    }

    /// A world at the end of a tap, before the contents of its torn page are filled in.
    private struct End: Hashable {
        let world: RestingWorld
        let faultCount: Int
        let tear: Tear?
    }

    let request: StationRequest
    let tap: Int
    let world: RestingWorld
    let bounds: Bounds
    private var moments: [Moment] = []
    private var places: [Moment: Int] = [:]
    private var edges: [[Edge]] = []
    private(set) var outcomes: [Outcome] = []
    private var ends: [(end: End, arrivals: Arrivals)] = []
    private var endPlaces: [End: Int] = [:]
    private(set) var violations: [(violation: Violation, faults: [PlacedFault])] = []
    private(set) var executions = 0
    /// How many faults were left out because their step does not fit into a number.
    private(set) var stepsCut = 0

    init(request: StationRequest, tap: Int, world: RestingWorld, bounds: Bounds) {
        self.request = request
        self.tap = tap
        self.world = world
        self.bounds = bounds
    }

    mutating func run(budget: Int) async {
        _ = place(of: Moment(saved: SavedTap(request, in: world), faultCount: 0, tear: nil))
        var next = 0
        while next < moments.count {
            await branch(next, [], from: 0, budget, torn: moments[next].tear)
            next += 1
        }
        follow()
    }

    private mutating func place(of moment: Moment) -> Int {
        if let place = places[moment] { return place }
        places[moment] = moments.count
        moments.append(moment)
        edges.append([])
        return moments.count - 1
    }

    private mutating func place(of end: End) -> Int {
        if let place = endPlaces[end] { return place }
        endPlaces[end] = ends.count
        ends.append((end, Arrivals()))
        return ends.count - 1
    }

    // MARK: From one moment to the next

    private mutating func branch(
        _ place: Int, _ mishaps: [(step: Int, mishap: Mishap)], from first: Int, _ budget: Int,
        torn: Tear?
    ) async {
        let moment = moments[place]
        let faultCount = moment.faultCount + mishaps.count
        let advance = await moment.saved.advance(
            Dictionary(uniqueKeysWithValues: mishaps.map { ($0.step, $0.mishap) }),
            keepsWorlds: faultCount < budget)
        executions += 1
        let next = advance.next.map { saved in
            self.place(of: Moment(saved: saved, faultCount: faultCount, tear: torn))
        }
        edges[place].append(
            Edge(
                mishaps: mishaps, stepCount: advance.steps.count,
                target: next.map(Target.moment) ?? .end(advance.world), tear: torn,
                violations: advance.violations))
        guard faultCount < budget else { return }
        var before = moment.saved.world
        for (number, step) in advance.steps.enumerated().dropFirst(first) {
            if number > 0 { before = advance.steps[number - 1].after ?? before }
            for (world, mishap) in [
                (before, Mishap.killedBefore), (step.after ?? before, .killedAfter),
            ] {
                edges[place].append(
                    Edge(
                        mishaps: mishaps + [(number, mishap)], stepCount: number + 1,
                        target: .end(world), tear: torn, violations: []))
            }
            for mishap in Mishap.options(at: step) {
                await branch(
                    place, mishaps + [(number, mishap)], from: number + 1, budget, torn: torn)
            }
            if case .write(let page, let old, let new) = step.act, step.isHeard, torn == nil {
                let tear = Tear(
                    fault: faultCount, page: page,
                    contents: TornPage.contents(old: old, new: new, bounds.classes))
                await branch(
                    place, mishaps + [(number, .radio(.torn(.zero)))], from: number + 1, budget,
                    torn: tear)
            }
        }
    }

    // MARK: The schedules

    /// Counts the schedules that lead to each moment, and from there to each end.
    private mutating func follow() {
        var arrivals = [Arrivals](repeating: Arrivals(), count: moments.count)
        arrivals[0] = Arrivals(copies: 1)
        for place in inOrder() {
            let arrival = arrivals[place]
            for edge in edges[place] {
                guard let faults = faults(of: edge, after: arrival) else {
                    stepsCut += 1
                    continue
                }
                for violation in edge.violations { violations.append((violation, faults)) }
                switch edge.target {
                case .end(let world):
                    let end = End(world: world, faultCount: faults.count, tear: edge.tear)
                    ends[self.place(of: end)].arrivals.add(arrival.copies, faults, 0)
                case .moment(let next):
                    arrivals[next].add(
                        arrival.copies, faults, arrival.stepCount + edge.stepCount)
                }
            }
        }
        for (end, arrival) in ends {
            for (world, faults, ways) in Play.torn(end.world, arrival.faults, end.tear) {
                outcomes.append(
                    Outcome(world: world, faults: faults, copies: arrival.copies * ways))
            }
        }
    }

    /// The moments, each after all those that lead to it.
    private func inOrder() -> [Int] {
        var left = [Int](repeating: 0, count: moments.count)
        func nexts(_ place: Int) -> [Int] {
            edges[place].compactMap { edge in
                if case .moment(let next) = edge.target { next } else { nil }
            }
        }
        for place in moments.indices {
            for next in nexts(place) { left[next] += 1 }
        }
        var order = [0]
        var done = 0
        while done < order.count {
            for next in nexts(order[done]) {
                left[next] -= 1
                if left[next] == 0 { order.append(next) }
            }
            done += 1
        }
        precondition(order.count == moments.count, "no tap comes back to where it was")
        return order
    }

    /// Nil if a step does not fit into a number.
    private func faults(of edge: Edge, after arrival: Arrivals) -> [PlacedFault]? {
        let faults = edge.mishaps.map { step, mishap in
            PlacedFault(tap: tap, step: arrival.stepCount + step, mishap: mishap)
        }
        return faults.allSatisfy { $0.step < ScheduleNumber.mostSteps }
            ? arrival.faults + faults : nil
    }

    /// The world with each content that the torn page may have.
    private static func torn(
        _ world: RestingWorld, _ faults: [PlacedFault], _ tear: Tear?
    ) -> [(world: RestingWorld, faults: [PlacedFault], ways: Int)] {
        guard let tear else { return [(world, faults, 1)] }
        return tear.contents.map { content in
            var (world, faults) = (world, faults)
            world.tag[tear.page] = content.page
            let fault = faults[tear.fault]
            faults[tear.fault] = PlacedFault(
                tap: fault.tap, step: fault.step, mishap: .radio(.torn(content.way)))
            return (world, faults, content.ways)
        }
    }

    // MARK: The check

    /// Plays every schedule of at most one fault from its start, and counts those whose end differs
    /// from the saved, joined or derived one.
    mutating func checkOutcomes() async -> Int {
        var differences = 0
        var arrival = Arrivals()
        var place: Int? = 0
        while let now = place {
            place = nil
            var stepCount = arrival.stepCount
            for edge in edges[now] {
                guard let faults = faults(of: edge, after: arrival) else { continue }
                for (world, faults, _) in Play.torn(end(of: edge.target), faults, edge.tear) {
                    let mishaps = Dictionary(
                        uniqueKeysWithValues: faults.map { ($0.step, $0.mishap) })
                    let played = await Tap.play(request, in: self.world, mishaps: mishaps)
                    executions += 1
                    if played.world != world { differences += 1 }
                }
                if edge.mishaps.isEmpty, case .moment(let next) = edge.target {
                    place = next
                    stepCount += edge.stepCount
                }
            }
            arrival.stepCount = stepCount
        }
        return differences
    }

    /// The end of a tap if nothing more goes wrong.
    private func end(of target: Target) -> RestingWorld {
        var target = target
        while true {
            switch target {
            case .end(let world): return world
            case .moment(let place):
                guard let edge = edges[place].first(where: \.mishaps.isEmpty) else {
                    preconditionFailure("every moment goes on without a fault")
                }
                target = edge.target
            }
        }
    }
}
