import BlockingLane
import TapcardCore
import TextCodecs
import Verbs

/// Checks the whole ledger file in the background, after a quiet hour.
final class LedgerCheck: Sendable {
    private struct State {
        var hour = QuietHour(.now)
        var work: Task<Void, Never>?
        var damage: TapcardError?
    }

    private let runner: TillRunner
    private let log: TillLog
    private let state = Guarded(State())

    init(_ runner: TillRunner, _ log: TillLog) { (self.runner, self.log) = (runner, log) }

    /// The damage found by the last check; nil if there was none.
    var damage: TapcardError? { state.withLock { $0.damage } }

    /// Records a use of the reader, which restarts the quiet hour.
    func use() { state.withLock { $0.hour.use(at: .now) } }

    /// Starts a check if one is due.
    func beat() {
        state.withLock { state in
            guard state.hour.begins(at: .now) else { return }
            state.work = Task { [self] in await check() }
        }
    }

    func check() async {
        let began = ContinuousClock.now
        let damage = await runner.ledgerDamage()
        state.withLock { $0.damage = damage }
        let duration = Int64(began.duration(to: .now) / .milliseconds(1))
        log.say(
            "ledger-checked",
            [
                "error": damage.map { .string($0.kind.word) } ?? .null,
                "milliseconds": .number(String(duration)),
            ])
    }

    /// Waits for a running check to finish.
    func end() async { await state.withLock { $0.work }?.value }
}
