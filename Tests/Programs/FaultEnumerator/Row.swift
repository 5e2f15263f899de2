import FaultyWorld
import TapcardDomain

/// The result of a plan.
struct Row: Sendable {
    /// A broken invariant.
    struct Finding: Sendable {
        let violation: Violation
        let number: UInt128
        let moment: String
        /// The length of the schedule; the shortest is printed first.
        let length: Int

        func isShorter(than other: Finding) -> Bool {
            (length, violation.invariant.rawValue) < (
                other.length, other.violation.invariant.rawValue
            )
        }
    }

    /// The rows of a group are added up.
    let group: String
    /// Identifies rows whose schedules overlap: of two rows with equal scope, the longer includes
    /// the other.
    let scope: String
    let cells: [String]
    /// The number of schedules, by the number of their faults.
    let schedules: [Int]
    let executions: Int
    let ends: Int
    let images: Int
    let violationCount: Int
    let findings: [Finding]
    /// How many transactions PostgreSQL carried out.
    let transactions: Int
    /// Why the row is incomplete; empty if it is complete.
    let doubts: [String]

    static func of(_ plan: Plan) async -> Row {
        let clock = ContinuousClock()
        let start = clock.now
        switch plan.work {
        case .taps(let bounds):
            let report = await Explorer.explore(plan.script, bounds)
            return Row(plan.script, bounds, report, seconds(clock.now - start))
        case .stations(let bounds):
            let report = await DuelExplorer.explore(plan.script, bounds)
            return Row(plan.script, bounds, report, seconds(clock.now - start))
        }
    }

    private init(_ script: Script, _ bounds: Bounds, _ report: EnumerationReport, _ seconds: String)
    {
        group = script.chip.name
        scope = script.name
        schedules = report.schedules
        executions = report.executions
        ends = report.ends
        images = report.images
        violationCount = report.violationCount
        cells = [
            script.request.name, script.chip.name, "0-\(bounds.faults)", bounds.classes.rawValue,
            Row.words(report.schedules), "\(report.executions)", "\(report.ends)",
            "\(report.images)", "\(report.violationCount)", seconds,
        ]
        findings = report.findings.values.map {
            Finding(
                violation: $0.violation, number: $0.number.value, moment: $0.moment,
                length: $0.number.length)
        }
        transactions = 0
        var doubts: [String] = []
        if report.stepsCut > 0 { doubts.append("\(report.stepsCut) taps had too many steps") }
        if report.gapsCut > 0 { doubts.append("\(report.gapsCut) worlds had too many weak pages") }
        if report.differences > 0 {
            doubts.append("\(report.differences) worlds were read off wrongly")
        }
        self.doubts = doubts.map { "\(script.name): \($0)" }
    }

    private init(_ script: Script, _ bounds: DuelBounds, _ report: DuelReport, _ seconds: String) {
        group = bounds.sample == nil ? "two stations" : "two stations over PostgreSQL"
        scope = [
            script.name, bounds.opening.words, bounds.second.words,
            bounds.areReadersCareless ? "careless" : "strict", group,
        ].joined(separator: ", ")
        schedules = report.schedules
        executions = report.executions
        ends = report.ends
        images = report.images
        violationCount = report.violationCount
        cells = [
            "\(script.request.name) | \(bounds.second.words)", script.chip.name,
            bounds.opening == .none ? "0-1" : "\(bounds.opening)",
            bounds.areReadersCareless ? "careless" : "strict", Row.words(report.schedules),
            "\(report.executions)", "\(report.ends)", "\(report.images)",
            "\(report.violationCount)", seconds,
        ]
        findings = report.findings.values.map {
            Finding(
                violation: $0.violation, number: UInt128($0.duel.number), moment: $0.moment,
                length: $0.duel.length)
        }
        transactions = report.transactions
        doubts =
            (report.stepsCut > 0
                ? ["\(script.name): \(report.stepsCut) taps had too many steps"] : [])
            + (report.differences.isEmpty
                ? []
                : ["PostgreSQL differs \(report.differences.count) times: \(report.differences[0])"])
    }

    private static func words(_ counts: [Int]) -> String {
        counts.map(String.init).joined(separator: " + ")
    }

    private static func seconds(_ duration: Duration) -> String {
        let tenths =
            (duration.components.seconds * 10)
            + duration.components.attoseconds / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
