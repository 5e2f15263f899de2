import BlockingLane
import CardCryptography
import Ledger
import OperatingSystem
import StationFiles
import TapcardDomain
import Verbs

/// Keeps the sessions of cashiers at tills on other machines in the ledger, so that they outlive
/// the server at which they were opened.
struct StoredSessions: Sendable {
    /// The shortest time between two searches for the sessions of one till, in milliseconds, so that
    /// requests with invented tokens cannot keep the ledger busy.
    private static let interval: Int64 = 1_000

    private let runner: TillRunner
    private let sessions: TillSessions
    private let log: TillLog
    /// When the sessions of each till were last searched for.
    private let searches = Guarded<[Int: Int64]>([:])

    init(_ runner: TillRunner, _ sessions: TillSessions, _ log: TillLog) {
        (self.runner, self.sessions, self.log) = (runner, sessions, log)
    }

    /// Records a new session. If the ledger is offline, the session ends together with this server.
    func record(_ session: TillSessions.Session) async {
        guard let till = session.till, let cashier = session.cashier else { return }
        let now = runner.ledger.time(at: runner.now())
        await changing("session-not-recorded", till) { () throws(LedgerError) in
            try await runner.ledger.add(
                CashierSession(
                    token: session.id, cookie: session.cookie, till: till, cashier: cashier.name,
                    login: cashier.loginMark, opened: now, used: now),
                after: Timestamp(milliseconds: now.milliseconds - TillSessions.limit))
        }
    }

    /// Records a use of the session, if the last recorded one is some minutes old.
    func noteUse(of session: TillSessions.Session) {
        guard let till = session.till, sessions.mustRecord(session) else { return }
        Task {
            await changing("session-not-recorded", till) { () throws(LedgerError) in
                try await runner.ledger.noteUse(
                    of: session.id, at: till, runner.ledger.time(at: runner.now()))
            }
        }
    }

    /// Deletes a session from the ledger.
    func end(_ session: TillSessions.Session) async {
        guard let till = session.till, session.cashier != nil else { return }
        await changing("session-not-ended", till) { () throws(LedgerError) in
            try await runner.ledger.endSession(session.id)
        }
    }

    private func changing(
        _ failure: String, _ till: Int, _ change: () async throws(LedgerError) -> Void
    ) async {
        do throws(LedgerError) {
            try await change()
        } catch {
            log.say(failure, ["till": .number(till)])
        }
    }

    /// Whether the ledger may be searched for this till's sessions now.
    func mayLoad(at till: Int) -> Bool {
        let now = SystemClock.millisecondsSinceBoot
        return searches.withLock { searches in
            if let last = searches[till], now - last < StoredSessions.interval { return false }
            searches[till] = now
            return true
        }
    }

    /// Adds the sessions that the ledger has for this till. A session ends when its cashier is
    /// removed or gets another password.
    func load(at till: Int, among cashiers: [Cashier]) async {
        guard let stored = try? await runner.ledger.sessions(at: till) else { return }
        let now = runner.ledger.time(at: runner.now()).milliseconds
        for session in stored {
            let (age, idle) = (now - session.opened.milliseconds, now - session.used.milliseconds)
            guard age >= 0, idle >= 0,
                let cashier = cashiers.named(session.cashier),
                cashier.loginMark == session.login
            else { continue }
            sessions.adopt(
                id: session.token, cookie: session.cookie, of: cashier, at: till, age: age,
                idle: idle)
        }
    }
}

extension Cashier {
    /// A hash that identifies the cashier's password, and does not reveal it.
    fileprivate var loginMark: [UInt8] { SHA256.digest(password.salt + password.bytes) }
}
