import FaultyWorld
import Glibc

/// Plays plans on every core and prints a row for each.
enum Table {
    private static let widths = [27, 9, 8, 9, 34, 11, 9, 9, 11, 9]

    /// False if an invariant was broken, or if the rows are incomplete.
    static func run(_ plans: [Plan]) async -> Bool {
        line([
            "request", "chip", "faults", "classes", "schedules by their faults", "taps", "worlds",
            "images", "violations", "seconds",
        ])
        let rows = await onEveryCore(plans) { plan in
            let row = await Row.of(plan)
            line(row.cells)
            return row
        }
        sum(rows)
        let isTold = await tell(rows.flatMap(\.findings).sorted { $0.isShorter(than: $1) })
        let doubts = rows.flatMap(\.doubts)
        for doubt in doubts { print("NOT ALL WAS PLAYED: \(doubt)") }
        let violations = rows.reduce(0) { $0 + $1.violationCount }
        return violations == 0 && isTold && doubts.isEmpty && !plans.isEmpty
    }

    /// Prints a line for each group, which is a chip or two stations, and one for everything.
    private static func sum(_ rows: [Row]) {
        print("")
        for name in Set(rows.map(\.group)).sorted() {
            let ofName = rows.filter { $0.group == name }
            let counts = schedules(of: ofName).enumerated().map {
                "\($0.element) with \($0.offset)"
            }
            print("\(name): \(words(ofName)); by their faults: " + counts.joined(separator: ", "))
        }
        let transactions = rows.reduce(0) { $0 + $1.transactions }
        if transactions > 0 { print("transactions in PostgreSQL: \(transactions)") }
        print("together: \(words(rows)); \(processorTime()) s of processor time")
    }

    /// The number of schedules by their faults, each counted once, because a row with more faults
    /// includes one with fewer.
    private static func schedules(of rows: [Row]) -> [Int] {
        let most = rows.map(\.schedules.count).max() ?? 0
        return (0..<most).map { faults in
            let largest = rows.reduce(into: [String: Int]()) { largest, row in
                guard row.schedules.indices.contains(faults) else { return }
                largest[row.scope] = max(largest[row.scope] ?? 0, row.schedules[faults])
            }
            return largest.values.reduce(0, +)
        }
    }

    private static func words(_ rows: [Row]) -> String {
        func total(_ count: (Row) -> Int) -> Int { rows.reduce(0) { $0 + count($1) } }
        return "\(schedules(of: rows).reduce(0, +)) schedules in \(total(\.executions)) taps, "
            + "\(total(\.ends)) worlds behind them, \(total(\.images)) images put back, "
            + "\(total(\.violationCount)) violations"
    }

    /// Prints the findings. False if a schedule does not break what it should when replayed,
    /// because then the numbers of schedules are wrong.
    private static func tell(_ findings: [Row.Finding]) async -> Bool {
        var isTold = true
        for finding in findings {
            print("BROKEN \(finding.violation)")
            print("  schedule \(finding.number), \(finding.moment)")
            let broken = await Replay.tell(finding.number)?.broken ?? []
            if broken.contains(finding.violation.invariant) {
                print("  FaultEnumerator replay \(finding.number) tells it")
            } else {
                print("  DOUBT: replayed by itself, it does not break that")
                isTold = false
            }
        }
        if let shortest = findings.first, let (lines, _) = await Replay.tell(shortest.number) {
            print("")
            for line in lines { print(line) }
        }
        return isTold
    }

    private static func line(_ cells: [String]) {
        let padded = zip(cells, widths).map { cell, width in
            cell + String(repeating: " ", count: max(1, width - cell.count))
        }
        print(padded.joined())
        // Prints each row as it is done, even into a pipe.
        fflush(nil)
    }

    private static func processorTime() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return time.tv_sec
    }
}
