import FaultyWorld
import TapcardDomain

/// The options of the command line.
struct Arguments: Sendable {
    enum Command: Sendable, Equatable {
        case play([Plan])
        case replay(UInt128)
        /// Prints the runs that make up "make prove", one on each line.
        case runs
        case mutants

        static func == (left: Command, right: Command) -> Bool {
            switch (left, right) {
            case (.mutants, .mutants), (.runs, .runs): true
            case (.replay(let one), .replay(let other)): one == other
            default: false
            }
        }
    }

    let command: Command
    let withoutRule: SafetyRule?

    init?(_ words: [String]) {
        var words = words[...]
        var options: [String: String] = [:]
        var verbs: [String] = []
        while let word = words.popFirst() {
            if word.hasPrefix("--") {
                guard let value = words.popFirst() else { return nil }
                options[String(word.dropFirst(2))] = value
            } else {
                verbs.append(word)
            }
        }
        func number(_ name: String, _ usual: Int) -> Int? {
            options[name].map { Int($0) } ?? usual
        }
        let known = [
            "requests", "chips", "faults", "classes", "turns", "turns-with-fault", "thorough",
            "without-rule", "open", "one-of", "seed",
        ]
        guard options.keys.allSatisfy(known.contains), verbs.count <= 2,
            let faults = number("faults", 2), (0...ScheduleNumber.mostFaults).contains(faults),
            let turns = number("turns", 2), (1...Duel.maximumTurns).contains(turns),
            let one = number("one-of", 100), one > 0, let seed = number("seed", 17),
            let turnsWithFault = number("turns-with-fault", 1),
            [nil, "yes"].contains(options["thorough"]), [nil, "yes"].contains(options["open"]),
            let classes = TearClasses(rawValue: options["classes"] ?? "few")
        else { return nil }
        let requests = options["requests"]?.split(separator: ",").map(String.init)
        let chips = options["chips"]?.split(separator: ",").map(String.init)
        func isWanted(_ script: Script) -> Bool {
            requests?.contains(script.request.name) ?? true
                && chips?.contains(script.chip.name) ?? true
        }
        let scripts = Script.all.filter(isWanted)
        withoutRule = options["without-rule"].flatMap { Int($0) }.flatMap(SafetyRule.init)
        guard withoutRule != nil || options["without-rule"] == nil else { return nil }
        switch verbs.first {
        case "test": command = .play(Plan.test.filter { isWanted($0.script) })
        case "check": command = .play(Plan.check.filter { isWanted($0.script) })
        case "runs": command = .runs
        case "stations":
            command = .play(
                scripts.flatMap {
                    Plan.stations(
                        $0, turns: turns, turnsWithFault: turnsWithFault,
                        isThorough: options["thorough"] != nil,
                        openings: options["open"] == nil ? [.none] : Opening.broken)
                })
        case "database":
            command = .play(
                Plan.far(
                    Sample(one: UInt64(one), seed: UInt64(truncatingIfNeeded: seed)), turns: turns,
                    turnsWithFault: turnsWithFault
                ).filter { isWanted($0.script) })
        case "operators":
            command = .play(scripts.flatMap { Plan.operators($0, turnsWithFault: turnsWithFault) })
        case "mutants": command = .mutants
        case "replay":
            guard let number = verbs.dropFirst().first.flatMap({ UInt128($0) }) else { return nil }
            command = .replay(number)
        case nil:
            command = .play(
                scripts.map {
                    Plan(script: $0, work: .taps(Bounds(faults: faults, classes: classes)))
                })
        default: return nil
        }
        guard verbs.count == 1 || verbs.first == "replay" || verbs.isEmpty else { return nil }
    }
}
