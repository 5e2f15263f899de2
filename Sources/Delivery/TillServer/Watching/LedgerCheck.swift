import BlockingLane
import TapcardCore
import TextCodecs
import Verbs

/// Checks the ledger for all tills of a server: whether it can be used now and, in the background
/// after a quiet hour, the whole ledger file.
final class LedgerCheck: Sendable {
    private struct State {
        var hour = QuietHour(.now)
        var work: Task<Void, Never>?
        var damage: TapcardError?
        /// The problem that the last operation had with the ledger.
        var problem: TapcardError?
    }

    private let runner: TillRunner
    private let log: TillLog
    private let state = Guarded(State())

    init(_ runner: TillRunner, _ log: TillLog) { (self.runner, self.log) = (runner, log) }

    /// Records the end of an operation.
    func note(_ answer: TillRunner.Answer, of call: TillCall) {
        state.withLock { state in
            if answer.problem?.result == .ledger {
                state.problem = answer.problem
            } else if answer.problem == nil, call.takesOperation {
                state.problem = nil
            }
        }
    }

    /// Asks the ledger, and returns its current problem; nil if there is none. A successful write
    /// clears an operation's problem, except a full disk: only the next operation can show whether
    /// there is space again.
    func problem() async -> TapcardError? {
        let known = state.withLock { $0.problem }
        if let problem = await runner.ledgerProblem(isWriting: known != nil) { return problem }
        return state.withLock { state in
            // An operation may have had a different problem during the check.
            if known?.kind != .ledgerFull, state.problem?.kind == known?.kind {
                state.problem = nil
            }
            return state.problem ?? state.damage
        }
    }

    /// The state of the ledger's database; nil if the ledger is a file or the database is offline.
    func database() async -> DatabaseReport? { await runner.database() }

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
