import FaultyWorld
import TapcardDomain

/// Leaves out one rule after another, and shows the shortest schedule that reveals it.
enum Mutants {
    /// Tests all rules, or one alone. False if a rule can be left out unnoticed, if a failure shows
    /// up with no rule left out, or if a failure cannot be replayed.
    static func run(only one: SafetyRule?) async -> Bool {
        if let one { return await isMissed(one) }
        print("No rule left out")
        var isGood = await search(without: nil) == nil
        isGood = await MovedLedger.isNoticed() && isGood
        for rule in SafetyRule.allCases {
            if let (finding, _) = await Encounter.of(rule)?.play(), let finding {
                print("  \(finding), though no rule is left out")
                isGood = false
            }
        }
        for rule in SafetyRule.allCases {
            let isTold = await isMissed(rule)
            isGood = isGood && isTold
        }
        print(isGood ? "\nEvery rule is missed." : "\nNot every rule is missed.")
        return isGood
    }

    private static func isMissed(_ rule: SafetyRule) async -> Bool {
        print("\nWithout rule \(rule.rawValue) (\(rule))")
        return await SafetyRule.leftOut?.withValue(rule) {
            guard rule != .nothingIntoAnotherFile else { return !(await MovedLedger.isNoticed()) }
            if let encounter = Encounter.of(rule) { return await tell(await encounter.play()) }
            return await tell(await search(without: rule), without: rule)
        } ?? false
    }

    private static func tell(_ played: (finding: String?, schedules: Int)) async -> Bool {
        print("  \(played.schedules) schedules")
        print(played.finding.map { "breaks the rule: \($0)" } ?? "  SURVIVES: no schedule tells")
        return played.finding != nil
    }

    private static func tell(_ finding: Row.Finding?, without rule: SafetyRule) async -> Bool {
        guard let finding else {
            guard rule.isCarriedByAnother else {
                print("  SURVIVES: no schedule tells")
                return false
            }
            print("  no schedule tells, as must be: the comparison carries it")
            return true
        }
        print("breaks \(finding.violation), \(finding.moment)")
        let (lines, broken) = await Replay.tell(finding.number) ?? ([], [])
        for line in lines { print(line) }
        if !broken.contains(finding.violation.invariant) {
            print("  DOUBT: replayed by itself, it does not break that")
            return false
        }
        return !rule.isCarriedByAnother
    }

    /// Plays schedules, the cheap ones first, up to the first row that reveals the missing rule, or
    /// all of them if no rule is left out.
    private static func search(without rule: SafetyRule?) async -> Row.Finding? {
        var first: Row.Finding?
        var count = 0
        for plan in plans(for: rule) {
            let row = await Row.of(plan)
            count += row.schedules.reduce(0, +)
            let telling = row.findings.filter { rule?.tells($0.violation.invariant) ?? true }
            first = first ?? telling.min { $0.isShorter(than: $1) }
            if first != nil, rule != nil { break }
        }
        print("  \(count) schedules")
        return first
    }

    private static func plans(for rule: SafetyRule?) -> [Plan] {
        guard let rule else { return plans + Plan.ofChip }
        return rule.isOfChip ? Plan.ofChip : plans
    }

    private static var plans: [Plan] {
        guard let pay = Script.all.first(where: { $0.request.name == "pay" && $0.chip == .ntag213 })
        else { return [] }
        return [
            Plan(script: pay, work: .taps(Bounds(faults: 1, classes: .few))),
            Plan(script: pay, work: .taps(Bounds(faults: 1, classes: .all))),
            Plan(script: pay, work: .taps(Bounds(faults: 2, classes: .few))),
        ] + Plan.operators(pay, turnsWithFault: 0)
            + Plan.stations(pay, turns: 2, turnsWithFault: 1)
    }
}

extension SafetyRule {
    /// Whether breaking this invariant reveals the missing rule. Without `freshNumbers`, numbers
    /// are reused and their records forgotten, so a broken I5 reveals nothing, but an accused card
    /// does. Without `applicationKeyLast`, a chip with one key of the issuer is only refused in
    /// other words than an old image.
    fileprivate func tells(_ invariant: Invariant) -> Bool {
        switch self {
        case .freshNumbers: invariant != .i5
        case .applicationKeyLast: invariant != .i7
        default: true
        }
    }

    /// Whether the rule is about the NTAG 424.
    fileprivate var isOfChip: Bool {
        switch self {
        case .grantFirst, .applicationKeyLast, .oldestState, .noKeyGuessed, .answerIsProved,
            .grantNeverFalls:
            true
        default: false
        }
    }

    /// Whether another rule covers for this one. A place read before the lock equals the one under
    /// it as long as the transaction begins nothing on a card that has changed.
    fileprivate var isCarriedByAnother: Bool { self == .slotUnderTheLock }
}
