import TapcardCore
import Verbs

/// The counts of one counter since the start.
struct KioskMetrics: Sendable {
    var cards = 0
    private var operations: [Key: Int] = [:]

    private struct Key: Hashable {
        let verb: String
        let result: String
    }

    /// The counts and the state of one counter, for the answer to Prometheus.
    struct OfCounter: Sendable {
        /// Nil for the only counter, whose samples name none.
        let number: Int?
        let counts: KioskMetrics
        let listeners: Int
        let readerWorks: Bool
        let ledgerWorks: Bool

        fileprivate var label: [String] { number.map { ["counter=\"\($0)\""] } ?? [] }
    }

    mutating func count(_ operation: CounterOperation) {
        let result = operation.answer?.problem?.result.rawValue ?? "done"
        operations[Key(verb: operation.call.path, result: result), default: 0] += 1
    }

    /// The text format of Prometheus.
    static func text(of counters: [OfCounter], requests: [Int: Int]) -> String {
        var lines: [String] = []
        func family(
            _ name: String, _ type: String, _ help: String,
            _ samples: [(labels: [String], value: Int)]
        ) {
            lines.append("# HELP tapcard_\(name) \(help)")
            lines.append("# TYPE tapcard_\(name) \(type)")
            for (labels, value) in samples {
                let shown = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
                lines.append("tapcard_\(name)\(shown) \(value)")
            }
        }
        func each(_ value: (OfCounter) -> Int) -> [(labels: [String], value: Int)] {
            counters.map { ($0.label, value($0)) }
        }
        family(
            "operations_total", "counter", "Operations that were ended, by what came of them.",
            counters.flatMap { counter in
                counter.counts.operations.map { key, count in
                    (
                        counter.label + ["verb=\"\(key.verb)\"", "result=\"\(key.result)\""],
                        count
                    )
                }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
            })
        family(
            "cards_total", "counter", "Cards and tags that were laid on the reader.",
            each(\.counts.cards))
        family(
            "requests_total", "counter", "Requests that were answered, by their status.",
            requests.sorted { $0.key < $1.key }.map { (["status=\"\($0)\""], $1) })
        family("listeners", "gauge", "Pages that follow the counter.", each(\.listeners))
        family(
            "reader_up", "gauge", "Whether the reader works.", each { $0.readerWorks ? 1 : 0 })
        family(
            "ledger_up", "gauge", "Whether the ledger did what was asked of it last.",
            each { $0.ledgerWorks ? 1 : 0 })
        return lines.joined(separator: "\n") + "\n"
    }
}
