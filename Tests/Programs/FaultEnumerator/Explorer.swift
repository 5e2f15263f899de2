import FaultyWorld
import Ledger
import TapcardDomain

/// Limits on the schedules of a script.
struct Bounds: Sendable {
    var faults = 2
    var classes = TearClasses.all
}

/// Plays every schedule of one script. Equal worlds between two taps are followed once and count
/// for all schedules that led to them.
struct Explorer {
    let script: Script
    let bounds: Bounds
    private(set) var report: EnumerationReport
    /// The ledgers that were already checked.
    private var ledgers: [LedgerTables: Int] = [:]
    private var images: [CardMemory: Int] = [:]
    private var imageList: [CardMemory] = []

    init(_ script: Script, _ bounds: Bounds) {
        self.script = script
        self.bounds = bounds
        report = EnumerationReport(script: script, bounds: bounds)
    }

    static func explore(_ script: Script, _ bounds: Bounds) async -> EnumerationReport {
        var explorer = Explorer(script, bounds)
        await explorer.explore()
        return explorer.report
    }

    private mutating func explore() async {
        var start = Worlds()
        let number = ScheduleNumber(script)
        start.add(
            await script.request.world(on: script.chip),
            Arrival(number: number, counts: [1] + [Int](repeating: 0, count: bounds.faults)))
        var worlds = start
        for tap in script.requests.indices {
            worlds = await afterTap(tap, worlds)
            await checkAtRest(worlds)
            worlds = afterGap(tap, worlds)
        }
        for node in worlds.nodes {
            for (faults, count) in node.arrival.counts.enumerated() {
                report.schedules[faults] += count
            }
        }
        await resolve(worlds)
    }

    // MARK: One tap

    private mutating func afterTap(_ tap: Int, _ worlds: Worlds) async -> Worlds {
        var next = Worlds()
        for node in worlds.nodes {
            let used = node.arrival.counts.firstIndex { $0 > 0 } ?? 0
            var play = Play(
                request: script.requests[tap], tap: tap, world: node.world, bounds: bounds)
            await play.run(budget: bounds.faults - used)
            if bounds.faults == 1 { report.differences += await play.checkOutcomes() }
            report.executions += play.executions
            report.stepsCut += play.stepsCut
            var arrival = node.arrival
            arrival.remember(image(of: node.world.memory))
            for outcome in play.outcomes {
                next.add(outcome.world, arrival.following(outcome))
            }
            for violation in play.violations {
                report.note(
                    violation.violation, arrival.number.adding(violation.faults),
                    "in tap \(tap + 1)")
            }
        }
        return next
    }

    private mutating func image(of memory: CardMemory) -> Int {
        if let place = images[memory] { return place }
        images[memory] = imageList.count
        imageList.append(memory)
        return imageList.count - 1
    }

    // MARK: Between taps

    private mutating func checkAtRest(_ worlds: Worlds) async {
        for node in worlds.nodes {
            for violation in await broken(node.world) {
                report.note(violation, node.arrival.number, "at rest")
            }
        }
    }

    /// Checks a world; the ledger's own rules are checked once for each ledger.
    private mutating func broken(_ world: RestingWorld) async -> [Violation] {
        let known = ledgers.count
        let isNew = ledgers.updateValue(known, forKey: world.ledger) == nil
        return (isNew ? await world.ledgerBroken() : []) + world.tagBroken()
    }

    private mutating func afterGap(_ tap: Int, _ worlds: Worlds) -> Worlds {
        var next = Worlds()
        for node in worlds.nodes {
            // A gap with the effect of another one is not a schedule of its own.
            var left: Set<RestingWorld> = []
            if node.world.weak.count > Gap.mostRanks { report.gapsCut += 1 }
            for (place, gap) in Gap.all.enumerated() {
                guard let world = gap.applied(to: node.world), left.insert(world).inserted
                else { continue }
                var arrival = node.arrival
                // The next tap remembers only the image it begins with, so this one is remembered
                // here.
                if world.memory != node.world.memory {
                    arrival.remember(image(of: node.world.memory))
                }
                next.add(world, arrival.behind(gap: place, after: tap))
            }
        }
        return next
    }

    // MARK: The end

    /// Plays one undisturbed tap, checks what must hold, and puts back every earlier image.
    private mutating func resolve(_ worlds: Worlds) async {
        var ends = Worlds()
        for node in worlds.nodes where node.world.card != nil {
            let tap = await Tap.play(.read, in: node.world)
            report.executions += 1
            var found = tap.violations
            if case .failed(let error) = tap.said, found.isEmpty {
                found.append(Violation(.i8, "the undisturbed tap failed: \(error)"))
            }
            for violation in found {
                report.note(violation, node.arrival.number, "in the undisturbed tap")
            }
            var arrival = node.arrival
            arrival.remember(image(of: node.world.memory))
            ends.add(tap.world, arrival)
        }
        var pairs: [ImageBesideLedger: ScheduleNumber] = [:]
        for node in ends.nodes {
            await check(end: node)
            for (image, number) in node.arrival.images {
                let pair = ImageBesideLedger(
                    image: image, ledger: node.world.ledger, active: node.world.active)
                if pairs[pair].map({ number.isShorter(than: $0) }) ?? true { pairs[pair] = number }
            }
        }
        report.ends = ends.nodes.count
        report.images = pairs.count
        for (pair, number) in pairs {
            var world = RestingWorld(imageList[pair.image], ledger: pair.ledger)
            world.active = pair.active
            report.executions += 1
            for violation in await world.puttingBack(imageList[pair.image]) {
                report.note(violation, number, "with an earlier image put back")
            }
        }
    }

    private mutating func check(end node: Worlds.Node) async {
        var found = node.world.unresolved() + (await broken(node.world))
        found += await node.world.restless()
        for request in [script.request.stationRequest, EnumeratedRequest.next] {
            found += await node.world.askingAgain(request)
        }
        for later in node.world.decays {
            found += await later.resolving().violations.map {
                Violation($0.invariant, $0.detail + ", once weak pages have turned bad")
            }
        }
        for violation in found {
            report.note(violation, node.arrival.number, "behind the last tap")
        }
    }
}

private struct ImageBesideLedger: Hashable {
    let image: Int
    let ledger: LedgerTables
    let active: Set<ScratchCode>
}
