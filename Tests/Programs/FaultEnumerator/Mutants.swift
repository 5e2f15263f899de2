import FaultyWorld
import TapcardDomain

/// Leaves out one rule after another, and shows the shortest schedule that reveals it.
enum Mutants {
    /// What was found without a rule, or with all of them, in words.
    private struct Verdict: Sendable {
        var isGood = true
        var lines: [String]
    }

    /// Tests all rules, or one alone. False if a rule can be left out unnoticed, if a failure shows
    /// up with no rule left out, or if a failure cannot be replayed.
    static func run(only one: SafetyRule?) async -> Bool {
        let rules = one.map { [$0] } ?? [nil] + SafetyRule.allCases
        let verdicts = await onEveryCore(rules) { rule in
            let verdict = if let rule { await verdict(without: rule) } else { await wholeVerdict() }
            print(verdict.lines.joined(separator: "\n") + "\n")
            return verdict
        }
        let isGood = verdicts.allSatisfy(\.isGood)
        print(isGood ? "Every rule is missed." : "Not every rule is missed.")
        return isGood
    }

    /// With every rule, nothing must be found.
    private static func wholeVerdict() async -> Verdict {
        let (finding, count) = await search(without: nil)
        let moved = await MovedLedger.play()
        var verdict = Verdict(
            isGood: finding == nil && moved.isNoticed,
            lines: ["No rule left out", "  \(count) schedules", moved.line])
        if let finding { verdict.lines.append("  breaks \(finding.violation), \(finding.moment)") }
        for rule in SafetyRule.allCases {
            if let finding = await Encounter.of(rule)?.play().finding {
                verdict.isGood = false
                verdict.lines.append("  \(finding), though no rule is left out")
            }
        }
        return verdict
    }

    private static func verdict(without rule: SafetyRule) async -> Verdict {
        var verdict =
            await SafetyRule.leftOut?.withValue(rule) {
                if rule == .nothingIntoAnotherFile {
                    let (isNoticed, line) = await MovedLedger.play()
                    return Verdict(isGood: !isNoticed, lines: [line])
                }
                if let encounter = Encounter.of(rule) { return told(await encounter.play()) }
                return await told(await search(without: rule), without: rule)
            } ?? Verdict(isGood: false, lines: [])
        verdict.lines.insert("Without rule \(rule.rawValue) (\(rule))", at: 0)
        return verdict
    }

    private static func told(_ played: (finding: String?, schedules: Int)) -> Verdict {
        let end = played.finding.map { "breaks the rule: \($0)" } ?? "  SURVIVES: no schedule tells"
        return Verdict(
            isGood: played.finding != nil, lines: ["  \(played.schedules) schedules", end])
    }

    private static func told(
        _ found: (finding: Row.Finding?, schedules: Int), without rule: SafetyRule
    ) async -> Verdict {
        let count = "  \(found.schedules) schedules"
        guard let finding = found.finding else {
            return rule.isCarriedByAnother
                ? Verdict(
                    lines: [count, "  no schedule tells, as must be: the comparison carries it"])
                : Verdict(isGood: false, lines: [count, "  SURVIVES: no schedule tells"])
        }
        let (lines, broken) = await Replay.tell(finding.number) ?? ([], [])
        var verdict = Verdict(
            isGood: !rule.isCarriedByAnother,
            lines: [count, "breaks \(finding.violation), \(finding.moment)"] + lines)
        if !broken.contains(finding.violation.invariant) {
            verdict.isGood = false
            verdict.lines.append("  DOUBT: replayed by itself, it does not break that")
        }
        return verdict
    }

    /// Plays schedules, the cheap ones first, up to the first row that reveals the missing rule, or
    /// all of them if no rule is left out.
    private static func search(
        without rule: SafetyRule?
    ) async -> (finding: Row.Finding?, schedules: Int) {
        var first: Row.Finding?
        var count = 0
        for plan in plans(for: rule) {
            let row = await Row.of(plan)
            count += row.schedules.reduce(0, +)
            let telling = row.findings.filter { rule?.tells($0.violation.invariant) ?? true }
            first = first ?? telling.min { $0.isShorter(than: $1) }
            if first != nil, rule != nil { break }
        }
        return (first, count)
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
