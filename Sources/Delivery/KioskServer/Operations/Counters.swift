import TapcardCore
import TextCodecs
import Verbs

/// The counters of one server. Each has its own reader and goes on whatever happens at the others;
/// they share the ledger, the cashiers and the check of the ledger's file.
struct Counters: Sendable {
    /// A counter with its number; nil for the only one.
    struct Counter: Sendable {
        let number: Int?
        let desk: CounterDesk
        let queue: OperationQueue
    }

    let all: [Counter]
    let ledgerCheck: LedgerCheck
    private let deferrals: DeferralKeeper

    /// The listeners are shared out evenly.
    init(_ desks: CounterDesks, log: KioskLog, mostListeners: Int) {
        let ledgerCheck = LedgerCheck(desks.first, log)
        self.ledgerCheck = ledgerCheck
        let deferrals = DeferralKeeper(desks.first, log)
        self.deferrals = deferrals
        let count = desks.all.count
        all = desks.all.enumerated().map { index, desk in
            let number = count > 1 ? index + 1 : nil
            return Counter(
                number: number, desk: desk,
                queue: OperationQueue(
                    desk, number: number, log: log, ledgerCheck: ledgerCheck,
                    deferrals: deferrals,
                    mostListeners: mostListeners / count))
        }
    }

    /// The only counter; nil where there are several.
    var only: Counter? { all.count == 1 ? all[0] : nil }

    func open() async { for counter in all { await counter.queue.open() } }

    /// Refuses new operations everywhere at once, and returns when all running ones have ended.
    func close() async {
        await withTaskGroup(of: Void.self) { group in
            for counter in all { group.addTask { await counter.queue.close() } }
        }
    }

    /// Ends the streams of listeners that have lost permission.
    func dismissUnwelcome() async {
        for counter in all { await counter.queue.dismissUnwelcome() }
    }

    /// The health of a counter, or of the house for nil: as good as that of its worst counter.
    func health(of asked: Counter?, inFull: Bool) async -> JSONValue {
        let found = await health()
        let own = asked.map { asked in [found[(asked.number ?? 1) - 1]] } ?? found
        let failed = own.first { $0.ledgerError != nil }
        let why = inFull ? failed?.ledger?.what ?? failed?.database?.why : nil
        let database = inFull ? own.lazy.compactMap(\.database).first : nil
        return [
            "status": .string(CounterHealth.Status.worst(of: own.map(\.status)).rawValue),
            "reader": asked == nil ? .null : own[0].reader(inFull: inFull),
            "counters": .array(
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
            "deferral": inFull ? deferrals.document : .null,
            "version": .string(Release.version),
        ]
    }

    private func health() async -> [CounterHealth] {
        await each { queue in await queue.health() }
    }

    /// The counts of each counter, for Prometheus.
    func counted() async -> [KioskMetrics.OfCounter] {
        await each { queue in await queue.counted() }
    }

    /// The answer of each counter. All are asked at once: where the ledger is out of reach, an
    /// answer takes long.
    private func each<Answer: Sendable>(
        _ ask: @escaping @Sendable (OperationQueue) async -> Answer
    ) async -> [Answer] {
        await withTaskGroup(of: (Int, Answer).self) { group in
            for (index, counter) in all.enumerated() {
                group.addTask { (index, await ask(counter.queue)) }
            }
            var answers: [Int: Answer] = [:]
            for await (index, answer) in group { answers[index] = answer }
            return answers.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
