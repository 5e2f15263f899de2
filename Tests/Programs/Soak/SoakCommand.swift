import Glibc
import SoakTown
import TapcardDomain

/// The long simulation: Soak [--seconds N] [--seed S] [--until STEP] [--stations N].
enum SoakCommand {
    /// Runs the simulation. In the build of "make mutants" it also takes --without-rule N and must
    /// then find a fault.
    static func run(_ arguments: [String]) async -> Int32 {
        guard let leftOut = SafetyRule.leftOut,
            let place = arguments.firstIndex(of: "--without-rule"), place + 1 < arguments.count,
            let rule = Int(arguments[place + 1]).flatMap(SafetyRule.init)
        else { return await obey(arguments) }
        var others = arguments
        others.removeSubrange(place...(place + 1))
        return await leftOut.withValue(rule) { [others] in await obey(others) }
    }

    private static func obey(_ arguments: [String]) async -> Int32 {
        var (seconds, seed) = (60, UInt64.random(in: 0...UInt64(UInt32.max)))
        var last: Int?
        var stations = 0
        var words = arguments[...]
        while let word = words.popFirst() {
            let value = words.popFirst()
            switch (word, value.flatMap(UInt64.init)) {
            case ("--seconds", let number?): seconds = Int(clamping: number)
            case ("--seed", let number?): seed = number
            case ("--until", let number?): last = Int(clamping: number)
            case ("--stations", let number?): stations = Int(clamping: number)
            default:
                print(
                    """
                    Usage: Soak [--seconds N] [--seed S] [--until STEP] [--stations N]
                    With --stations so many tills have one ledger in PostgreSQL.
                    """)
                return 2
            }
        }
        say("seed \(seed)")
        var soak = Soak(seed: seed, farStations: stations)
        do {
            if let last {
                try await soak.play(until: last)
            } else {
                try await play(&soak, seconds)
            }
        } catch {
            print("seed \(seed), step \(error.step): \(error)")
            tell(soak)
            let more = stations > 0 ? " --stations \(stations)" : ""
            print("again: Soak --seed \(seed) --until \(error.step)\(more)")
            return 1
        }
        if last != nil { tell(soak) }
        for (what, count) in soak.tally.counts.sorted(by: { $0.key < $1.key }) {
            let number = "\(count)"
            print("\(String(repeating: " ", count: max(0, 9 - number.count)))\(number)  \(what)")
        }
        print("seed \(seed): \(soak.step) steps, every invariant held")
        return 0
    }

    /// Plays for this long; the clock decides only when to stop and when to print a line.
    private static func play(_ soak: inout Soak, _ seconds: Int) async throws(Broken) {
        let clock = ContinuousClock()
        let start = clock.now
        let interval = 10
        var shown = 0
        try await soak.play { soak in
            let passed = Int((clock.now - start).components.seconds)
            if passed / interval > shown {
                shown = passed / interval
                say("\(passed) s: \(soak.step) steps, \(soak.tally.counts["taps"] ?? 0) taps")
            }
            return passed < seconds
        }
    }

    /// Prints at once, so that a run that is cut short has shown its seed.
    private static func say(_ text: String) {
        print(text)
        fflush(nil)
    }

    private static func tell(_ soak: Soak) {
        print("what happened to the card:")
        for line in soak.story { print("  \(line)") }
    }
}
