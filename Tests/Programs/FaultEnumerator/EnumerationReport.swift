import FaultyWorld

/// The result of the schedules of one script.
struct EnumerationReport: Sendable {
    /// The shortest schedule that breaks an invariant, and how.
    struct Finding: Sendable {
        let violation: Violation
        let number: ScheduleNumber
        let moment: String
    }

    let script: Script
    let bounds: Bounds
    /// By the number of their faults.
    var schedules: [Int]
    /// Taps that were played.
    var executions = 0
    /// Different worlds after the last tap, and pairs of a ledger and an earlier image put back.
    var ends = 0
    var images = 0
    /// Faults that no number can tell, because a tap had too many steps.
    var stepsCut = 0
    /// Worlds with more weak pages than are turned bad one by one.
    var gapsCut = 0
    /// Worlds that came out otherwise when they were played instead of read off.
    var differences = 0
    var violationCount = 0
    private(set) var findings: [Invariant: Finding] = [:]

    init(script: Script, bounds: Bounds) {
        self.script = script
        self.bounds = bounds
        schedules = [Int](repeating: 0, count: bounds.faults + 1)
    }

    mutating func note(_ violation: Violation, _ number: ScheduleNumber, _ moment: String) {
        violationCount += 1
        if let known = findings[violation.invariant], !number.isShorter(than: known.number) {
            return
        }
        findings[violation.invariant] = Finding(
            violation: violation, number: number, moment: moment)
    }
}
