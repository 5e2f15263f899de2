import BlockingLane
import TapcardCore
import TextCodecs
import Verbs

/// A server's tills. Each has its own reader and works independently. They share the ledger, the
/// cashiers, and the ledger file check.
final class Tills: Sendable {
    /// One till. `number` is nil if it is the only till with a reader on this machine.
    struct Till: Sendable {
        let number: Int?
        let runner: TillRunner
        let queue: OperationQueue
    }

    /// The tills whose readers are on this machine.
    let local: [Till]
    let ledgerCheck: LedgerCheck
    private let offlinePayments: OfflineKeeper
    private let log: TillLog
    private let maximumListeners: Int
    /// The tills whose readers are on other machines, by number.
    private let remote = Guarded<[Int: Till]>([:])
    private let isClosed = Guarded(false)

    private static let remoteListeners = 4

    /// Creates the tills with readers on this machine. They share `maximumListeners` equally.
    init(_ runners: TillRunners, log: TillLog, maximumListeners: Int) {
        let ledgerCheck = LedgerCheck(runners.server, log)
        self.ledgerCheck = ledgerCheck
        let offlinePayments = OfflineKeeper(runners.server, log)
        self.offlinePayments = offlinePayments
        (self.log, self.maximumListeners) = (log, maximumListeners)
        let count = runners.local.count
        local = runners.local.enumerated().map { index, runner in
            let number = count > 1 ? index + 1 : nil
            return Till(
                number: number, runner: runner,
                queue: OperationQueue(
                    runner, number: number, log: log, ledgerCheck: ledgerCheck,
                    offlinePayments: offlinePayments,
                    maximumListeners: maximumListeners / count))
        }
    }

    /// All tills, in the order of their numbers.
    var all: [Till] {
        local + remote.withLock { $0.values.sorted { ($0.number ?? 0) < ($1.number ?? 0) } }
    }

    /// The till with this number; nil if no till with a reader on another machine has it.
    func remote(_ number: Int) -> Till? { remote.withLock { $0[number] } }

    /// Adds and opens a till whose reader is on another machine.
    func add(_ number: Int, _ runner: TillRunner) async {
        let till = Till(
            number: number, runner: runner,
            queue: OperationQueue(
                runner, number: number, log: log, ledgerCheck: ledgerCheck,
                offlinePayments: offlinePayments, maximumListeners: Tills.remoteListeners))
        let isOpen = isClosed.withLock { isClosed in
            if !isClosed { remote.withLock { $0[number] = till } }
            return !isClosed
        }
        // A server that is closing opens nothing new.
        if isOpen { await till.queue.open() }
    }

    /// Removes a till and returns its queue, which the caller must close.
    func remove(_ number: Int) -> OperationQueue? {
        remote.withLock { $0.removeValue(forKey: number) }?.queue
    }

    func open() async { for till in all { await till.queue.open() } }

    /// Refuses new operations at all tills at once and returns when all running ones have ended.
    func close() async {
        isClosed.withLock { $0 = true }
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
        let all = all
        let found = await each(all) { queue in await queue.health() }
        let own =
            requested.map { requested in
                zip(all, found).filter { $0.0.number == requested.number }.map(\.1)
            } ?? found
        // A missing reader on another machine does not make the server unhealthy, because that
        // machine may just be switched off.
        let statuses =
            requested == nil
            ? zip(all, found).map { till, health in
                health.status == .noReader && !local.contains { $0.queue === till.queue }
                    ? .ok : health.status
            } : own.map(\.status)
        let failed = own.first { $0.ledgerError != nil }
        let why = inFull ? failed?.ledger?.what ?? failed?.database?.why : nil
        let printer = (own.first { $0.printer["why"]?.string != nil } ?? own.first)?.printer
        let database = inFull ? own.lazy.compactMap(\.database).first : nil
        return [
            "status": .string(TillHealth.Status.worst(of: statuses).rawValue),
            "reader": requested == nil ? .null : own.first?.reader(inFull: inFull) ?? .null,
            "tills": .array(
                zip(all, found).map { till, health in
                    [
                        "number": .number(till.number ?? 1),
                        "status": .string(health.status.rawValue),
                        "reader": health.reader(inFull: inFull),
                    ]
                }),
            "ledger": [
                "state": .string(failed == nil ? "ready" : "failed"),
                "error": .text(failed?.ledgerError), "why": .text(why),
                "database": database?.document ?? .null,
            ],
            "printer": inFull ? printer ?? .null : .null,
            "offlinePayments": inFull ? offlinePayments.document : .null,
            "version": .string(Release.version),
        ]
    }

    /// The counts of each till, for Prometheus.
    func metricSamples() async -> [TillMetrics.TillSample] {
        await each(all) { queue in await queue.metricSample() }
    }

    /// Calls `ask` for all these tills at the same time, because each call may wait a long time for
    /// an offline ledger. Returns the results in the order of the tills.
    private func each<Answer: Sendable>(
        _ tills: [Till], _ ask: @escaping @Sendable (OperationQueue) async -> Answer
    ) async -> [Answer] {
        await withTaskGroup(of: (Int, Answer).self) { group in
            for (index, till) in tills.enumerated() {
                group.addTask { (index, await ask(till.queue)) }
            }
            var answers: [Int: Answer] = [:]
            for await (index, answer) in group { answers[index] = answer }
            // The group returns the results in the order in which the tills finish.
            return answers.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
