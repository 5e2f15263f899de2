import FaultyWorld

/// The result of the schedules of one script.
struct EnumerationReport: Sendable {
    /// The shortest schedule that breaks an invariant, and when it does.
    struct Finding: Sendable {
        let violation: Violation
        let number: ScheduleNumber
        let moment: String
    }

    let script: Script
    let bounds: Bounds
    /// The number of schedules, by the number of their faults.
    var schedules: [Int]
    /// How many taps were played.
    var executions = 0
    /// How many different worlds were left, and pairs of a ledger and an earlier image put back.
    var ends = 0
    var images = 0
    /// How many faults were left out because their step does not fit into a number.
    var stepsCut = 0
    /// How many worlds had more weak pages than are turned bad one by one.
    var gapsCut = 0
    /// How many worlds differed when their schedule was played from its start.
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
