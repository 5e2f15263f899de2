package import FaultyWorld
import TapcardDomain

/// One schedule told step by step, with the verdict on every invariant.
package struct Replay {
    private var lines: [String] = []
    private var found: [Violation] = []
    /// The violations told since the last heading.
    private var told: Set<Violation> = []

    /// The text and the broken invariants, or nil if the number is not a schedule.
    package static func tell(
        _ number: UInt128
    ) async -> (lines: [String], broken: Set<Invariant>)? {
        var replay = Replay()
        if let number = UInt64(exactly: number), let duel = Duel(number: number) {
            guard await replay.run(duel) else { return nil }
        } else {
            guard await replay.run(ScheduleNumber(number)) else { return nil }
        }
        return (replay.lines, Set(replay.found.map(\.invariant)))
    }

    private mutating func run(_ number: ScheduleNumber) async -> Bool {
        guard let (script, gaps, faults) = number.decoded else { return false }
        lines.append("Schedule \(number): \(script.name), \(faults.count) fault(s)")
        var world = await script.request.world(on: script.chip)
        var images: [(moment: String, memory: CardMemory)] = []
        tell(world)
        for (place, request) in script.requests.enumerated() {
            images.append(("before tap \(place + 1)", world.memory))
            world = await play(request, place, world, faults.filter { $0.tap == place })
            await note(world.broken())
            let later = gaps[place].applied(to: world) ?? world
            if later != world { head("\(gaps[place])") }
            if later.memory != world.memory {
                images.append(("behind tap \(place + 1)", world.memory))
            }
            world = later
        }
        head("Then one undisturbed tap")
        images.append(("behind the last tap", world.memory))
        world = await undisturbed(script, world)
        for (moment, image) in images {
            head("The image \(moment) is put back")
            let violations = await world.puttingBack(image)
            note(violations)
            if violations.isEmpty { lines.append("  as it must be") }
        }
        conclude()
        return true
    }

    private mutating func run(_ duel: Duel) async -> Bool {
        guard let script = Script.all.first(where: { $0.place == duel.place }) else { return false }
        let requests = duel.requests(of: script)
        let readers = duel.areReadersCareless ? ", with careless readers" : ""
        lines.append(
            "Schedule \(duel.number): \(script.name) at station A, \(requests[1].name) at B"
                + readers
        )
        let world = await duel.opening.world(of: script)
        tell(world)
        for (place, turn) in duel.turns.enumerated() {
            let (one, other) = place % 2 == 0 ? ("A", "B") : ("B", "A")
            let card = turn.movesCard ? "the card goes to \(other)" : "the card stays where it is"
            lines.append("\(one) is let go on \(turn.steps) times, then \(card)")
        }
        let outcome = await duel.play(requests, in: world, keepsWorlds: true)
        for (number, step) in outcome.steps.enumerated() {
            lines.append("  \(number). \(step.station == 0 ? "A" : "  B") \(step)")
        }
        for (name, said) in zip(["A", "B"], outcome.said) {
            lines.append("  \(name) said: \(said)")
        }
        note(outcome.violations)
        head("Then one undisturbed tap")
        let (end, violations) = await Duel.resolved(outcome.rest)
        tell(end)
        note(violations)
        await note(end.restless())
        for (name, image) in [("before them", world.memory), ("behind both", outcome.rest.memory)] {
            head("The image \(name) is put back")
            await note(end.puttingBack(image))
        }
        conclude()
        return true
    }

    private mutating func conclude() {
        lines.append("")
        for invariant in Invariant.allCases {
            let count = found.count { $0.invariant == invariant }
            lines.append(
                "\(invariant.rawValue): \(count == 0 ? "holds" : "BROKEN"), \(invariant.rule)")
        }
    }

    private mutating func play(
        _ request: StationRequest, _ place: Int, _ world: RestingWorld, _ faults: [PlacedFault]
    ) async -> RestingWorld {
        head("Tap \(place + 1): \(request.name)")
        let mishaps = Dictionary(uniqueKeysWithValues: faults.map { ($0.step, $0.mishap) })
        let tap = await Tap.play(request, in: world, mishaps: mishaps, keepsWorlds: true)
        for (number, step) in tap.steps.enumerated() { lines.append("  \(number). \(step)") }
        lines.append("  said: \(tap.said)")
        note(tap.violations)
        tell(tap.world)
        return tap.world
    }

    private mutating func undisturbed(_ script: Script, _ world: RestingWorld) async -> RestingWorld
    {
        guard world.card != nil else {
            lines.append("  there is no card: nothing was begun")
            return world
        }
        let after = await play(.read, 3, world, [])
        let (_, violations) = await world.resolving()
        note(violations)
        await note(after.restless())
        for request in [script.request.stationRequest, EnumeratedRequest.next] {
            await note(after.askingAgain(request))
        }
        if !after.weak.isEmpty {
            lines.append("  weak pages turn bad, and one more tap")
            for later in after.decays { await note(later.resolving().violations) }
        }
        return after
    }

    /// Notes the violations, each once under a heading.
    private mutating func note(_ violations: [Violation]) {
        for violation in violations where told.insert(violation).inserted {
            found.append(violation)
            lines.append("  BROKEN \(violation)")
        }
    }

    private mutating func head(_ line: String) {
        lines.append("\n" + line)
        told = []
    }

    private mutating func tell(_ world: RestingWorld) {
        lines.append("  = \(world.words)")
    }
}

extension Gap: CustomStringConvertible {
    package var description: String {
        let time = isLong ? ["200 seconds pass"] : []
        let what = rank.map { "weak page \($0 + 1)" } ?? "every weak page"
        let pages: [String] =
            switch decay {
            case .none: []
            case .toZero: ["\(what) loses its bits"]
            case .toOld: ["\(what) shows what it held before"]
            }
        return (time + pages).joined(separator: "; ")
    }
}
