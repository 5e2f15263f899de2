import BlockingLane
import TapcardCore
import TextCodecs
import Verbs

/// Reads the ledger's file through in a quiet hour, while everything else goes on.
final class LedgerCheck: Sendable {
    private struct State {
        var hour = QuietHour(.now)
        var work: Task<Void, Never>?
        var damage: TapcardError?
    }

    private let desk: CounterDesk
    private let log: KioskLog
    private let state = Guarded(State())

    init(_ desk: CounterDesk, _ log: KioskLog) { (self.desk, self.log) = (desk, log) }

    /// What the last check has found; nil where that is nothing.
    var damage: TapcardError? { state.withLock { $0.damage } }

    /// The reader is in use: the hour is not quiet.
    func use() { state.withLock { $0.hour.use(at: .now) } }

    /// Begins to check when the time has come.
    func beat() {
        state.withLock { state in
            guard state.hour.begins(at: .now) else { return }
            state.work = Task { [self] in await check() }
        }
    }

    func check() async {
        let began = ContinuousClock.now
        let damage = await desk.ledgerDamage()
        state.withLock { $0.damage = damage }
        let lasted = Int64(began.duration(to: .now) / .milliseconds(1))
        log.say(
            "ledger-checked",
            [
                JSONMember(
                    key: "error", value: damage.map { .string($0.kind.word) } ?? .null),
                JSONMember(key: "milliseconds", value: .number(String(lasted))),
            ])
    }

    /// Returns when nothing reads any more.
    func end() async { await state.withLock { $0.work }?.value }
}
