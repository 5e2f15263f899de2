import BlockingLane
import TapcardCore
import TextCodecs
import Verbs

/// A server's tills. Each has its own reader and works independently. They share the ledger, the
/// cashiers, and the checks of the ledger and the journal.
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
    private let isClosing = Guarded(false)
    private let beating = Guarded<Task<Void, Never>?>(nil)

    /// The maximum number of listeners at each till whose reader is on another machine.
    private static let remoteListeners = 4
    /// The time between checks of the ledger and the journal.
    private static let checkInterval = Duration.seconds(15)

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

    /// Adds a till whose reader is on another machine, and returns its queue, which the caller must
    /// open. Returns nil if the server is closing.
    func add(_ number: Int, _ runner: TillRunner, _ line: TillLine) -> OperationQueue? {
        let till = Till(
            number: number, runner: runner,
            queue: OperationQueue(
                runner, number: number, log: log, ledgerCheck: ledgerCheck,
                offlinePayments: offlinePayments, line: line,
                maximumListeners: Tills.remoteListeners))
        return isClosing.withLock { isClosing in
            if isClosing { return nil }
            remote.withLock { $0[number] = till }
            return till.queue
        }
    }

    /// Removes a till and returns its queue, which the caller must close.
    func remove(_ number: Int) -> OperationQueue? {
        remote.withLock { $0.removeValue(forKey: number) }?.queue
    }

    func open() async {
        offlinePayments.listen { [weak self] news in
            for till in self?.all ?? [] { await till.queue.publish("offlinePayments", news) }
        }
        for till in all { await till.queue.open() }
        let task = Task { [weak self] in
            repeat {
                await self?.checkLedger()
            } while (try? await Task.sleep(for: Tills.checkInterval)) != nil
        }
        beating.withLock { $0 = task }
    }

    /// Checks the ledger and books offline payments if it is time to. This is done once for all
    /// tills, so more tills do not mean more queries.
    private func checkLedger() async {
        ledgerCheck.beat()
        var isQuiet = all.isEmpty
        for till in all where !isQuiet { isQuiet = await till.queue.isIdle }
        offlinePayments.beat(isQuiet: isQuiet)
    }

    /// Refuses new operations at all tills at once and returns when all running ones have ended.
    func close() async {
        isClosing.withLock { $0 = true }
        beating.withLock { $0 }?.cancel()
        await withTaskGroup(of: Void.self) { group in
            for till in all { group.addTask { await till.queue.close() } }
        }
    }

    /// Ends the streams of listeners that have lost permission.
    func endUnauthorizedStreams() async {
        for till in all { await till.queue.endUnauthorizedStreams() }
    }

    /// The health of a till or, if `requested` is nil, of the server. The server's status is the
    /// worst status of its tills. `elsewhere` tells which tills' readers were last attached to
    /// other servers.
    func health(
        of requested: Till?, inFull: Bool, elsewhere: @Sendable (Int) -> Bool
    ) async -> JSONValue {
        // The ledger is asked only once, because an offline ledger takes long to respond.
        let problem = await ledgerCheck.problem()
        let database = problem == nil ? await ledgerCheck.database() : nil
        let error = problem?.kind.word ?? database?.problem
        var found: [(till: Till, health: TillHealth, status: TillHealth.Status)] = []
        for till in all {
            let health = await till.queue.health
            found.append((till, health, health.status(ledgerWorks: error == nil)))
        }
        let own = requested.map { one in found.filter { $0.till.number == one.number } } ?? found
        // A missing reader on another machine does not make the server unhealthy, because that
        // machine may just be switched off.
        let statuses = own.map { till, _, status in
            let isRemote = !local.contains { $0.queue === till.queue }
            return requested == nil && status == .noReader && isRemote ? .ok : status
        }
        let worst = TillHealth.Status.worst(of: statuses + (error == nil ? [] : [.noLedger]))
        let printers = own.map(\.health.printer)
        let printer = printers.first { $0["why"]?.string != nil } ?? printers.first ?? .null
        let reader = own.first?.health.reader(inFull: inFull)
        let why = inFull ? problem?.what ?? database?.why : nil
        return [
            "status": .string(worst.rawValue),
            "reader": requested == nil ? .null : reader ?? .null,
            "tills": .array(
                found.map { till, health, status in
                    let number = till.number ?? 1
                    return [
                        "number": .number(number),
                        "name": inFull ? .text(till.runner.tillName) : .null,
                        "status": .string(status.rawValue),
                        "reader": health.reader(inFull: inFull),
                        "elsewhere": .bool(elsewhere(number)),
                    ]
                }),
            "ledger": [
                "state": .string(error == nil ? "ready" : "failed"),
                "error": .text(error), "why": .text(why),
                "database": inFull ? database?.document ?? .null : .null,
            ],
            "printer": inFull ? printer : .null,
            "offlinePayments": inFull ? offlinePayments.document : .null,
            "version": .string(Release.version),
        ]
    }

    /// The counts of each till, for Prometheus.
    func metricSamples() async -> [TillMetrics.TillSample] {
        var samples: [TillMetrics.TillSample] = []
        for till in all { samples.append(await till.queue.metricSample) }
        return samples
    }
}
