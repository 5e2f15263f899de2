import BlockingLane
import FaultyWorld
import Glibc
import Type2Tag

/// Plays plans on every core and prints a row for each.
enum Table {
    /// A row, and what it found.
    struct Row: Sendable {
        let cells: [String]
        let schedules: Int
        let executions: Int
        let violationCount: Int
        let findings: [Finding]
        /// What keeps the row from being the whole truth; empty where nothing does.
        var doubts: [String] = []
    }

    struct Finding: Sendable {
        let violation: Violation
        let number: UInt64
        let moment: String
        /// What is told first.
        let length: Int

        func isShorter(than other: Finding) -> Bool {
            (length, violation.invariant.rawValue) < (
                other.length, other.violation.invariant.rawValue
            )
        }
    }

    private static let widths = [16, 9, 8, 8, 34, 12, 11, 9]

    /// False where an invariant was broken.
    static func run(_ plans: [Plan]) async -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        line([
            "deed", "chip", "faults", "classes", "schedules by their faults", "taps played",
            "violations", "seconds",
        ])
        let next = Guarded(0)
        let rows = await withTaskGroup(of: [Row].self) { group in
            for _ in 0..<max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) {
                group.addTask {
                    var rows: [Row] = []
                    while let plan = next.withLock({ place -> Plan? in
                        place += 1
                        return place <= plans.count ? plans[place - 1] : nil
                    }) {
                        rows.append(await row(plan))
                        line(rows[rows.count - 1].cells)
                    }
                    return rows
                }
            }
            return await group.reduce(into: [Row]()) { $0 += $1 }
        }
        let schedules = rows.reduce(0) { $0 + $1.schedules }
        let executions = rows.reduce(0) { $0 + $1.executions }
        let violations = rows.reduce(0) { $0 + $1.violationCount }
        print(
            "\(schedules) schedules, \(executions) taps played, \(violations) violations, "
                + "\(seconds(clock.now - start)) s")
        let doubts = rows.flatMap(\.doubts)
        for doubt in doubts { print("NOT ALL WAS PLAYED: \(doubt)") }
        let findings = rows.flatMap(\.findings).sorted { $0.isShorter(than: $1) }
        for finding in findings {
            print("BROKEN \(finding.violation)")
            print("  schedule \(finding.number), \(finding.moment)")
            print("  FaultEnumerator replay \(finding.number) tells it")
        }
        if let shortest = findings.first, let (lines, _) = await Replay.tell(shortest.number) {
            print("")
            for line in lines { print(line) }
        }
        return violations == 0 && doubts.isEmpty && !plans.isEmpty
    }

    static func row(_ plan: Plan) async -> Row {
        let clock = ContinuousClock()
        let start = clock.now
        switch plan.work {
        case .taps(let bounds):
            let report = await Explorer.explore(plan.script, bounds)
            let counts = report.schedules.map(String.init).joined(separator: " + ")
            var doubts: [String] = []
            if report.stepsCut > 0 { doubts.append("\(report.stepsCut) taps had too many steps") }
            if report.differences > 0 {
                doubts.append("\(report.differences) worlds were read off wrongly")
            }
            return Row(
                cells: [
                    plan.script.deed.name, plan.script.chip.name, "0-\(bounds.faults)",
                    bounds.classes.rawValue, counts, "\(report.executions)",
                    "\(report.violationCount)", seconds(clock.now - start),
                ], schedules: report.schedules.reduce(0, +), executions: report.executions,
                violationCount: report.violationCount,
                findings: report.findings.values.map {
                    Finding(
                        violation: $0.violation, number: $0.number.value, moment: $0.moment,
                        length: $0.number.length)
                }, doubts: doubts)
        case .stations(let bounds):
            let report = await DuelExplorer.explore(plan.script, bounds)
            let counts = report.schedules.map(String.init).joined(separator: " + ")
            let readers = bounds.areReadersCareless ? "careless" : "strict"
            return Row(
                cells: [
                    "\(plan.script.deed.name) | pay", plan.script.chip.name, "0-1", readers, counts,
                    "\(3 * report.schedules.reduce(0, +))", "\(report.violationCount)",
                    seconds(clock.now - start),
                ], schedules: report.schedules.reduce(0, +),
                executions: 3 * report.schedules.reduce(0, +),
                violationCount: report.violationCount,
                findings: report.findings.values.map {
                    Finding(
                        violation: $0.violation, number: $0.duel.number,
                        moment: "two stations", length: $0.duel.length)
                })
        }
    }

    private static func line(_ cells: [String]) {
        let padded = zip(cells, widths).map { cell, width in
            cell + String(repeating: " ", count: max(1, width - cell.count))
        }
        print(padded.joined())
    }

    private static func seconds(_ duration: Duration) -> String {
        let tenths =
            (duration.components.seconds * 10)
            + duration.components.attoseconds / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
