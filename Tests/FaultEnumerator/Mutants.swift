#if LEAVE_RULES_OUT
import FaultyWorld
import TapcardDomain
import Type2Tag

/// Leaves out one rule after the other, and shows the shortest schedule that tells.
enum Mutants {
    /// False where a rule can be left out and nothing tells, or where something tells though
    /// none was left out.
    static func run() async -> Bool {
        print("No rule left out")
        var isGood = await search(all: true) == nil
        for rule in LeftOutRule.allCases {
            let found = await LeftOutRule.$current.withValue(rule) {
                await tell(await search(all: false))
            }
            print("\nWithout rule \(rule.rawValue) (\(rule))")
            for line in found ?? ["  SURVIVES: no schedule tells"] { print(line) }
            isGood = isGood && found != nil
        }
        print(isGood ? "\nEvery rule is missed." : "\nNot every rule is missed.")
        return isGood
    }

    private static func tell(_ finding: Table.Finding?) async -> [String]? {
        guard let finding else { return nil }
        let lines = await Replay.tell(finding.number)?.lines ?? []
        return ["breaks \(finding.violation), \(finding.moment)"] + lines
    }

    /// The schedules, the cheap ones first; with `all` also those behind the first that tells.
    private static func search(all: Bool) async -> Table.Finding? {
        var first: Table.Finding?
        for plan in plans {
            let row = await Table.row(plan)
            let shortest = row.findings.min { $0.isShorter(than: $1) }
            if all { print("  \(row.schedules) schedules, \(row.violationCount) violations") }
            first = first ?? shortest
            if first != nil, !all { break }
        }
        return first
    }

    private static var plans: [Plan] {
        guard let pay = Script.all.first(where: { $0.deed.name == "pay" && $0.chip == .ntag213 })
        else { return [] }
        return [
            Plan(script: pay, work: .taps(Bounds(faults: 1, classes: .few))),
            Plan(script: pay, work: .taps(Bounds(faults: 1, classes: .all))),
            Plan(script: pay, work: .taps(Bounds(faults: 2, classes: .few))),
        ] + Plan.stations(pay, turns: 2, turnsWithFault: 1)
    }
}
#endif
