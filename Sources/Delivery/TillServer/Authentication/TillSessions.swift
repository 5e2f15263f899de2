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
    /// The idle time after which a cashier's session ends.
    package static let idleMinutes: Int64 = 30

    package struct Session: Sendable, Hashable {
        /// The token for requests that change something.
        package let token: String
        /// The cookie, which allows only read-only requests, because browsers send it to every
        /// server on this host, even on other ports.
        package let cookie: String
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

        func isOver(at now: Int64) -> Bool {
            // Without a cashier, there is nobody to log out, so only the session's age counts.
            let idle = session.cashier == nil ? nil : used + TillSessions.idleMinutes * 60_000
            return now >= min(session.end, idle ?? session.end)
        }
    }

    private struct State {
        var sessions: [String: Entry] = [:]
        var tokens: [String: String] = [:]
        var order: [String] = []

        mutating func remove(_ token: String) {
            guard let stored = sessions.removeValue(forKey: token) else { return }
            tokens[stored.session.cookie] = nil
            order.removeAll { $0 == token }
        }
    }

    private let uptime: @Sendable () -> Int64
    private let state = Guarded(State())

    /// `uptime` returns milliseconds on a clock that cannot be set. If the clock could be set back,
    /// a session could last much too long.
    package init(uptime: @escaping @Sendable () -> Int64) { self.uptime = uptime }

    package func open(_ cashier: Cashier?, at till: Int? = nil) -> Session {
        let now = uptime()
        let session = Session(
            token: TillSessions.newSecret(), cookie: TillSessions.newSecret(), cashier: cashier,
            till: till, end: now + TillSessions.hours * 3_600_000)
        state.withLock { state in
            state.sessions[session.token] = Entry(session: session, used: now)
            state.tokens[session.cookie] = session.token
            state.order.append(session.token)
            // The first session in the list is the oldest.
            if state.order.count > TillSessions.maximumCount { state.remove(state.order[0]) }
        }
        return session
    }

    package func close(_ session: Session) { state.withLock { $0.remove(session.token) } }

    /// Ends all sessions that were opened at this till.
    package func close(at till: Int) {
        state.withLock { state in
            let tokens = state.sessions.values.filter { $0.session.till == till }
            for entry in tokens { state.remove(entry.session.token) }
        }
    }

    /// The session for a token. The lookup uses a hash, so its timing reveals nothing about a
    /// token. Unless `isUsed` is false, the lookup restarts the idle time.
    package func session(token: String, isUsed: Bool = true) -> Session? {
        let now = uptime()
        return state.withLock { state in
            guard let stored = state.sessions[token] else { return nil }
            // A session that has timed out is removed when its token is next used.
            guard !stored.isOver(at: now) else {
                state.remove(token)
                return nil
            }
            if isUsed { state.sessions[token]?.used = now }
            return stored.session
        }
    }

    package func session(cookie: String, isUsed: Bool = true) -> Session? {
        state.withLock { $0.tokens[cookie] }.flatMap { session(token: $0, isUsed: isUsed) }
    }

    private static func newSecret() -> String {
        RandomBytes.make(secretBytes).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}
