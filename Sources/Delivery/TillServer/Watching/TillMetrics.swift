import CustomerServer
import RemoteReader
import TapcardCore
import TapcardDomain
import Verbs

/// One till's counts since this server added it.
struct TillMetrics: Sendable {
    var cards = 0
    private var operations: [Key: Int] = [:]

    private struct Key: Hashable {
        let verb: String
        let result: String
    }

    /// The metrics and the state of one till, for the response to Prometheus.
    struct TillSample: Sendable {
        /// The till's number; nil if there is only one till, whose samples have no till label.
        let number: Int?
        let counts: TillMetrics
        let listeners: Int
        let readerWorks: Bool
        /// The line to the reader's machine; nil if the reader is on this machine.
        let line: TillLine.State?

        fileprivate var label: [String] { number.map { ["till=\"\($0)\""] } ?? [] }
    }

    /// The metrics of the server itself.
    struct ServerSample: Sendable {
        let ledgerWorks: Bool
        let connections: Int
        /// The requests by status.
        let requests: [Int: Int]
        let forwarded: [Forwarding.Outcome: Int]
    }

    mutating func count(_ operation: TillOperation) {
        let result = operation.answer?.problem?.result.rawValue ?? "done"
        operations[Key(verb: operation.call.path, result: result), default: 0] += 1
    }

    private typealias Sample = (labels: [String], value: Int)

    /// The lines of one metric family in the Prometheus text format.
    private static func family(
        _ name: String, _ type: String, _ help: String, _ samples: [Sample]
    ) -> String {
        let lines = samples.map { labels, value in
            let shown = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
            return "tapcard_\(name)\(shown) \(value)\n"
        }
        return "# HELP tapcard_\(name) \(help)\n# TYPE tapcard_\(name) \(type)\n" + lines.joined()
    }

    /// The metrics of the customer page. Every outcome is listed from the start, at 0, so that a
    /// rate includes the first occurrence.
    static func text(of customers: CustomerWatch.State) -> String {
        family(
            "customer_requests_total", "counter",
            "Requests to the customer page, by outcome.",
            CustomerWatch.Outcome.allCases.map { outcome in
                (["outcome=\"\(outcome.rawValue)\""], customers.counts[outcome, default: 0])
            })
            + family(
                "customer_ledger_up", "gauge",
                "Whether the last ledger query of the customer page succeeded (1) or failed (0).",
                [([], customers.ledgerWorks ? 1 : 0)])
    }

    /// The tills' metrics, in the Prometheus text format.
    static func text(of tills: [TillSample], _ server: ServerSample) -> String {
        func each(_ value: (TillSample) -> Int) -> [Sample] {
            tills.map { ($0.label, value($0)) }
        }
        // Dictionaries have no order, so the samples are sorted.
        let operations = tills.flatMap { till in
            till.counts.operations.map { key, count -> Sample in
                (till.label + ["verb=\"\(key.verb)\"", "result=\"\(key.result)\""], count)
            }.sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
        }
        let statuses = server.requests.sorted { $0.key < $1.key }.map { status, count -> Sample in
            (["status=\"\(status)\""], count)
        }
        let families: [String] = [
            family(
                "operations_total", "counter",
                "Finished operations, by result.", operations),
            family(
                "cards_total", "counter", "Cards and tags placed on the reader.",
                each(\.counts.cards)),
            family(
                "requests_total", "counter", "HTTP requests, by status.",
                statuses),
            family("listeners", "gauge", "Open event streams.", each(\.listeners)),
            family(
                "reader_up", "gauge", "Whether the reader is working (1) or not (0).",
                each { $0.readerWorks ? 1 : 0 }),
            family(
                "ledger_up", "gauge", "Whether the last ledger access succeeded (1) or failed (0).",
                [([], server.ledgerWorks ? 1 : 0)]),
            family(
                "connections", "gauge", "Open connections.", [([], server.connections)]),
            family(
                "forwarded_total", "counter",
                "Requests that were forwarded to other servers, by outcome.",
                Forwarding.Outcome.allCases.map { outcome in
                    (["outcome=\"\(outcome.rawValue)\""], server.forwarded[outcome, default: 0])
                }),
        ]
        return (families + remoteFamilies(of: tills)).joined()
    }

    /// The families of the tills whose readers are on other machines.
    private static func remoteFamilies(of tills: [TillSample]) -> [String] {
        let machines = tills.compactMap { till in till.line.map { (till.label, $0) } }
        func each(_ value: (TillLine.State) -> Int?) -> [Sample] {
            machines.compactMap { label, line -> Sample? in value(line).map { (label, $0) } }
        }
        let versions = machines.compactMap { label, line -> Sample? in
            line.greeting.map { (label + ["version=\"\(escaped($0.release))\""], 1) }
        }
        return [
            family(
                "tills_attached", "gauge", "Tills whose machines are connected to this server.",
                [([], machines.count { $0.1.greeting != nil })]),
            family(
                "till_attached", "gauge",
                "Whether the till's machine is connected to this server (1) or not (0).",
                each { $0.greeting == nil ? 0 : 1 }),
            family(
                "till_round_trips_total", "counter",
                "Commands that the till's machine has answered.", each { $0.answers }),
            family(
                "till_seen_timestamp_seconds", "gauge",
                "When the till's machine last sent a message, in seconds since 1970.",
                each { line in line.lastSeen.map { Int($0.milliseconds / 1_000) } }),
            family(
                "till_info", "gauge", "The version of tapcard on the till's machine.", versions),
        ]
    }

    /// The text as the value of a label. A machine can claim any version.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}
