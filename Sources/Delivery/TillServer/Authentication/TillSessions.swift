import BlockingLane
import CardCryptography
package import StationFiles

/// The open sessions. Each belongs to a client that may change something.
package final class TillSessions: Sendable {
    /// The maximum number of sessions. If another is opened, the oldest ends, and its page opens a
    /// new one.
    package static let maximumCount = 1_024
    private static let secretBytes = 24
    package static let hours: Int64 = 12
    /// The greatest age of a session, in milliseconds.
    package static let limit = hours * 3_600_000
    private static let recordingInterval: Int64 = 5 * 60_000
    /// How long an adopted session is believed before the ledger is asked again.
    private static let trust: Int64 = 30_000
    /// The idle time after which a cashier's session ends.
    package static let idleMinutes: Int64 = 30

    /// The secrets of a new session, which only its client keeps.
    package struct Secrets: Sendable, Hashable {
        /// The token for requests that change something.
        package let token = TillSessions.newSecret()
        /// The cookie, which allows only read-only requests, because browsers send it to every
        /// server on this host, even on other ports.
        package let cookie = TillSessions.newSecret()
    }

    package struct Session: Sendable, Hashable {
        /// The hash of the token, which identifies the session.
        package let id: [UInt8]
        /// The hash of the cookie.
        package let cookie: [UInt8]
        /// The cashier, as stored when the session was opened.
        package let cashier: Cashier?
        /// The number of the till, if its reader is on another machine. The session is valid only
        /// at that till. Nil for sessions opened at the server's own tills.
        package let till: Int?
        fileprivate let end: Int64
    }

    /// A session and the time of its last use.
    private struct Entry {
        let session: Session
        var used: Int64
        /// The time of the last use that is recorded in the ledger.
        var recorded: Int64
        /// Until when the ledger need not be asked whether the session has ended at another server;
        /// nil if it was opened here.
        var valid: Int64?

        func isOver(at now: Int64) -> Bool {
            // Without a cashier, there is nobody to log out, so only the session's age counts.
            let idle = session.cashier == nil ? nil : used + TillSessions.idleMinutes * 60_000
            return now >= min(session.end, idle ?? session.end)
        }
    }

    private struct State {
        var sessions: [[UInt8]: Entry] = [:]
        /// The sessions' IDs by the hashes of their cookies.
        var ids: [[UInt8]: [UInt8]] = [:]
        var order: [[UInt8]] = []

        mutating func add(_ session: Session, used: Int64, at now: Int64, valid: Int64? = nil) {
            let known = sessions[session.id]
            if known == nil { order.append(session.id) }
            sessions[session.id] = Entry(
                session: session, used: max(used, known?.used ?? used),
                recorded: known?.recorded ?? now, valid: valid)
            ids[session.cookie] = session.id
            // The first session in the list is the oldest.
            if order.count > TillSessions.maximumCount { remove(order[0]) }
        }

        mutating func remove(_ id: [UInt8]) {
            guard let stored = sessions.removeValue(forKey: id) else { return }
            ids[stored.session.cookie] = nil
            order.removeAll { $0 == id }
        }
    }

    private let uptime: @Sendable () -> Int64
    private let state = Guarded(State())

    /// `uptime` returns milliseconds on a clock that cannot be set. If the clock could be set back,
    /// a session could last much too long.
    package init(uptime: @escaping @Sendable () -> Int64) { self.uptime = uptime }

    package func open(
        _ cashier: Cashier?, at till: Int? = nil
    ) -> (session: Session, secrets: Secrets) {
        let (now, secrets) = (uptime(), Secrets())
        let session = Session(
            id: TillSessions.hash(of: secrets.token), cookie: TillSessions.hash(of: secrets.cookie),
            cashier: cashier, till: till, end: now + TillSessions.limit)
        state.withLock { $0.add(session, used: now, at: now) }
        return (session, secrets)
    }

    /// Adds a session that was opened at another server, or before this server was restarted. Its
    /// age and its idle time are in milliseconds.
    package func adopt(
        id: [UInt8], cookie: [UInt8], of cashier: Cashier, at till: Int, age: Int64, idle: Int64
    ) {
        let now = uptime()
        let session = Session(
            id: id, cookie: cookie, cashier: cashier, till: till,
            end: now + TillSessions.limit - age)
        state.withLock {
            // A session that was opened here ends here, too.
            if let known = $0.sessions[id], known.valid == nil { return }
            $0.add(session, used: now - idle, at: now, valid: now + TillSessions.trust)
        }
    }

    /// Forgets the adopted sessions of this till, except those with these IDs.
    package func forget(at till: Int, except ids: Set<[UInt8]>) {
        state.withLock { state in
            let ended = state.sessions.values.filter {
                $0.session.till == till && $0.valid != nil && !ids.contains($0.session.id)
            }
            for entry in ended { state.remove(entry.session.id) }
        }
    }

    package func close(_ session: Session) { state.withLock { $0.remove(session.id) } }

    /// Forgets all sessions that were opened at this till.
    package func close(at till: Int) {
        state.withLock { state in
            let entries = state.sessions.values.filter { $0.session.till == till }
            for entry in entries { state.remove(entry.session.id) }
        }
    }

    /// The session for a token. The lookup uses a hash, so its timing reveals nothing about a
    /// token. Unless `isUsed` is false, the lookup restarts the idle time.
    package func session(token: String, isUsed: Bool = true) -> Session? {
        session(id: TillSessions.hash(of: token), isUsed: isUsed)
    }

    package func session(cookie: String, isUsed: Bool = true) -> Session? {
        let hash = TillSessions.hash(of: cookie)
        return state.withLock { $0.ids[hash] }.flatMap { session(id: $0, isUsed: isUsed) }
    }

    private func session(id: [UInt8], isUsed: Bool) -> Session? {
        let now = uptime()
        return state.withLock { state in
            guard let stored = state.sessions[id] else { return nil }
            // A session that has timed out is removed when it is next used.
            guard !stored.isOver(at: now) else {
                state.remove(id)
                return nil
            }
            if let valid = stored.valid, now >= valid { return nil }
            if isUsed { state.sessions[id]?.used = now }
            return stored.session
        }
    }

    /// Whether the latest use of this session should be recorded in the ledger, which is due every
    /// few minutes.
    package func mustRecord(_ session: Session) -> Bool {
        let now = uptime()
        return state.withLock { state in
            guard let recorded = state.sessions[session.id]?.recorded,
                now - recorded >= TillSessions.recordingInterval
            else { return false }
            state.sessions[session.id]?.recorded = now
            return true
        }
    }

    private static func hash(of secret: String) -> [UInt8] { SHA256.digest(Array(secret.utf8)) }

    fileprivate static func newSecret() -> String {
        RandomBytes.make(secretBytes).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}
