import TapcardCore
import Verbs

/// Counters since the start, in the text format of Prometheus.
struct KioskMetrics: Sendable {
    var cards = 0
    private var operations: [Key: Int] = [:]

    private struct Key: Hashable {
        let verb: String
        let result: String
    }

    mutating func count(_ operation: CounterOperation) {
        let result = operation.answer?.problem?.result.rawValue ?? "done"
        operations[Key(verb: operation.call.path, result: result), default: 0] += 1
    }

    func text(
        listeners: Int, readerWorks: Bool, ledgerWorks: Bool, requests: [Int: Int]
    ) -> String {
        var lines: [String] = []
        func family(_ name: String, _ type: String, _ help: String, _ samples: [(String, Int)]) {
            lines.append("# HELP tapcard_\(name) \(help)")
            lines.append("# TYPE tapcard_\(name) \(type)")
            for (labels, value) in samples { lines.append("tapcard_\(name)\(labels) \(value)") }
        }
        family(
            "operations_total", "counter", "Operations that were ended, by what came of them.",
            operations.map { ("{verb=\"\($0.verb)\",result=\"\($0.result)\"}", $1) }.sorted {
                $0 < $1
            })
        family(
            "cards_total", "counter", "Cards and tags that were laid on the reader.", [("", cards)])
        family(
            "requests_total", "counter", "Requests that were answered, by their status.",
            requests.map { ("{status=\"\($0)\"}", $1) }.sorted { $0 < $1 })
        family("listeners", "gauge", "Pages that follow the counter.", [("", listeners)])
        family("reader_up", "gauge", "Whether the reader works.", [("", readerWorks ? 1 : 0)])
        family(
            "ledger_up", "gauge", "Whether the ledger did what was asked of it last.",
            [("", ledgerWorks ? 1 : 0)])
        return lines.joined(separator: "\n") + "\n"
    }
}
