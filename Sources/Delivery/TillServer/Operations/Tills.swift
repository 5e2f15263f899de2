import TapcardCore
import TextCodecs
import Verbs

/// A server's tills. Each has its own reader and works independently. They share the ledger, the
/// cashiers, and the ledger file check.
struct Tills: Sendable {
    /// One till. `number` is nil if it is the only till.
    struct Till: Sendable {
        let number: Int?
        let runner: TillRunner
        let queue: OperationQueue
    }

    let all: [Till]
    let ledgerCheck: LedgerCheck
    private let offlinePayments: OfflineKeeper

    /// Divides the maximum number of listeners evenly among the tills.
    init(_ runners: TillRunners, log: TillLog, maximumListeners: Int) {
        let ledgerCheck = LedgerCheck(runners.first, log)
        self.ledgerCheck = ledgerCheck
        let offlinePayments = OfflineKeeper(runners.first, log)
        self.offlinePayments = offlinePayments
        let count = runners.all.count
        all = runners.all.enumerated().map { index, runner in
            let number = count > 1 ? index + 1 : nil
            return Till(
                number: number, runner: runner,
                queue: OperationQueue(
                    runner, number: number, log: log, ledgerCheck: ledgerCheck,
                    offlinePayments: offlinePayments,
                    maximumListeners: maximumListeners / count))
        }
    }

    /// The only till; nil if there are several.
    var only: Till? { all.count == 1 ? all[0] : nil }

    func open() async { for till in all { await till.queue.open() } }

    /// Refuses new operations at all tills at once and returns when all running ones have ended.
    func close() async {
        await withTaskGroup(of: Void.self) { group in
            for till in all { group.addTask { await till.queue.close() } }
        }
    }

    /// Ends the streams of listeners that have lost permission.
    func endUnauthorizedStreams() async {
        for till in all { await till.queue.endUnauthorizedStreams() }
    }

    /// The health of a till or, if `requested` is nil, of the server. The server's status is the
    /// worst status of its tills.
    func health(of requested: Till?, inFull: Bool) async -> JSONValue {
        let found = await health()
        // Tills are numbered from 1; the only till has no number.
        let own = requested.map { requested in [found[(requested.number ?? 1) - 1]] } ?? found
        let failed = own.first { $0.ledgerError != nil }
        let why = inFull ? failed?.ledger?.what ?? failed?.database?.why : nil
        let printer = (own.first { $0.printer["why"]?.string != nil } ?? own[0]).printer
        let database = inFull ? own.lazy.compactMap(\.database).first : nil
        return [
            "status": .string(TillHealth.Status.worst(of: own.map(\.status)).rawValue),
            "reader": requested == nil ? .null : own[0].reader(inFull: inFull),
            "tills": .array(
                found.enumerated().map { index, health in
                    [
                        "number": .number(index + 1),
                        "status": .string(health.status.rawValue),
                        "reader": health.reader(inFull: inFull),
                    ]
                }),
            "ledger": [
                "state": .string(failed == nil ? "ready" : "failed"),
                "error": .text(failed?.ledgerError), "why": .text(why),
                "database": database?.document ?? .null,
            ],
            "printer": inFull ? printer : .null,
            "offlinePayments": inFull ? offlinePayments.document : .null,
            "version": .string(Release.version),
        ]
    }

    private func health() async -> [TillHealth] {
        await each { queue in await queue.health() }
    }

    /// The counts of each till, for Prometheus.
    func metricSamples() async -> [TillMetrics.TillSample] {
        await each { queue in await queue.metricSample() }
    }

    /// Calls `ask` for all tills at the same time, because each may wait a long time for an offline
    /// ledger. Returns the results in the order of the tills.
    private func each<Answer: Sendable>(
        _ ask: @escaping @Sendable (OperationQueue) async -> Answer
    ) async -> [Answer] {
        await withTaskGroup(of: (Int, Answer).self) { group in
            for (index, till) in all.enumerated() {
                group.addTask { (index, await ask(till.queue)) }
            }
            var answers: [Int: Answer] = [:]
            for await (index, answer) in group { answers[index] = answer }
            // The group returns the results in the order in which the tills finish.
            return answers.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
