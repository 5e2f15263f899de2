import BlockingLane
import CardCryptography
import Ledger
import OperatingSystem
import StationFiles
import TapcardCore
import TapcardDomain
import Verbs

/// Keeps the sessions of cashiers at tills on other machines in the ledger, so that they outlive
/// the server at which they were opened.
struct StoredSessions: Sendable {
    /// The shortest time between two searches for a till's sessions, in milliseconds, so that
    /// requests with invented tokens cannot keep the ledger busy.
    private static let interval: Int64 = 1_000
    /// How far the clocks of two servers may differ, in milliseconds.
    private static let clockTolerance: Int64 = 5_000

    private let runner: TillRunner
    private let sessions: TillSessions
    private let log: TillLog
    /// The latest search for the sessions of each till, which all requests share.
    private let searches = Guarded<[Int: (at: Int64, task: Task<LedgerError?, Never>)]>([:])

    init(_ runner: TillRunner, _ sessions: TillSessions, _ log: TillLog) {
        (self.runner, self.sessions, self.log) = (runner, sessions, log)
    }

    /// Records a new session. If the ledger is offline, the session ends together with this server.
    func record(_ session: TillSessions.Session) async {
        guard let till = session.till, let cashier = session.cashier else { return }
        let now = runner.ledger.time(at: runner.now())
        guard let entry = runner.usableKeys?.sealing else { return }
        func stored(_ login: [UInt8]) -> CashierSession {
            CashierSession(
                token: session.id, cookie: session.cookie, till: till, cashier: cashier.name,
                login: login, opened: now, used: now)
        }
        let sealed = stored(cashier.seal(of: stored([]), under: entry))
        await loggingFailure("session-not-recorded", till) { () throws(LedgerError) in
            try await runner.ledger.add(
                sealed,
                after: Timestamp(milliseconds: now.milliseconds - TillSessions.limit))
        }
    }

    /// Records a use of the session, if the last recorded one is some minutes old.
    func noteUse(of session: TillSessions.Session) {
        guard let till = session.till, sessions.mustRecord(session) else { return }
        Task {
            await loggingFailure("session-not-recorded", till) { () throws(LedgerError) in
                try await runner.ledger.noteUse(
                    of: session.id, at: till, runner.ledger.time(at: runner.now()))
            }
        }
    }

    /// Deletes a session from the ledger.
    func end(_ session: TillSessions.Session) async {
        guard let till = session.till, session.cashier != nil else { return }
        await loggingFailure("session-not-ended", till) { () throws(LedgerError) in
            try await runner.ledger.endSession(session.id)
        }
    }

    private func loggingFailure(
        _ failure: String, _ till: Int, _ change: () async throws(LedgerError) -> Void
    ) async {
        do throws(LedgerError) {
            try await change()
        } catch {
            log.say(failure, ["till": .number(till)])
        }
    }

    /// Adds the sessions that the ledger has for this till. A session ends when its cashier is
    /// removed or gets another password. Returns the problem if the ledger is offline.
    func load(at till: Int, among cashiers: [Cashier]) async -> Problem? {
        let now = SystemClock.millisecondsSinceBoot
        let task = searches.withLock { searches in
            if let last = searches[till], now - last.at < StoredSessions.interval {
                return last.task
            }
            let task = Task { await search(at: till, among: cashiers) }
            // Requests can name any number of tills that do not exist.
            searches = searches.filter { now - $0.value.at < StoredSessions.interval }
            searches[till] = (now, task)
            return task
        }
        return await task.value.map { Problem(TapcardError($0)) }
    }

    private func search(at till: Int, among cashiers: [Cashier]) async -> LedgerError? {
        let stored: [CashierSession]
        do throws(LedgerError) {
            stored = try await runner.ledger.sessions(at: till)
        } catch {
            return error
        }
        let now = runner.ledger.time(at: runner.now()).milliseconds
        let keys = runner.usableKeys?.entries.filter { $0.status != .retired } ?? []
        sessions.forget(at: till, except: Set(stored.map(\.token)))
        for session in stored {
            let (age, idle) = (now - session.opened.milliseconds, now - session.used.milliseconds)
            guard min(age, idle) >= -StoredSessions.clockTolerance,
                let cashier = cashiers.named(session.cashier),
                keys.contains(where: { session.login == cashier.seal(of: session, under: $0) })
            else { continue }
            sessions.adopt(
                id: session.token, cookie: session.cookie, of: cashier, at: till,
                age: max(0, age), idle: max(0, idle))
        }
        return nil
    }
}

extension Cashier {
    /// A seal over a session and the cashier's password, which ends the session when the password
    /// changes. Whoever can write to the ledger cannot make one.
    fileprivate func seal(of session: CashierSession, under entry: KeyEntry) -> [UInt8] {
        let text = "\(session.till) \(session.opened.milliseconds) \(name.text)\n"
        return entry.masters.seal(
            of: Array(text.utf8) + session.token + session.cookie + password.salt + password.bytes,
            for: "session")
    }
}
