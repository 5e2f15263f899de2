import BlockingLane
import CardCryptography
package import TapcardCore
package import TapcardDomain

/// Those who have come to the page and may change something.
package final class KioskSessions: Sendable {
    /// Older ones are forgotten: their pages ask for a new one.
    package static let most = 1_024
    private static let secretBytes = 24
    package static let hours: Int64 = 12
    /// After so long without a request a cashier has left.
    package static let idleMinutes: Int64 = 30

    package struct Session: Sendable, Hashable {
        /// For whoever wants to change something.
        package let token: String
        /// For looking only: browsers send a cookie to whatever answers at this host, at other
        /// ports, too.
        package let cookie: String
        /// As they were when they logged in.
        package let cashier: Cashier?
        fileprivate let end: Int64
    }

    /// A session, and when it was used last.
    private struct Kept {
        let session: Session
        var used: Int64

        func isOver(at now: Int64) -> Bool {
            let idle = session.cashier == nil ? nil : used + KioskSessions.idleMinutes * 60_000
            return now >= min(session.end, idle ?? session.end)
        }
    }

    private struct State {
        var sessions: [String: Kept] = [:]
        var tokens: [String: String] = [:]
        var order: [String] = []

        mutating func remove(_ token: String) {
            guard let kept = sessions.removeValue(forKey: token) else { return }
            tokens[kept.session.cookie] = nil
            order.removeAll { $0 == token }
        }
    }

    private let now: @Sendable () -> Timestamp
    private let state = Guarded(State())

    package init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    package func open(_ cashier: Cashier?) -> Session {
        let now = now().milliseconds
        let session = Session(
            token: KioskSessions.newSecret(), cookie: KioskSessions.newSecret(), cashier: cashier,
            end: now + KioskSessions.hours * 3_600_000)
        state.withLock { state in
            state.sessions[session.token] = Kept(session: session, used: now)
            state.tokens[session.cookie] = session.token
            state.order.append(session.token)
            if state.order.count > KioskSessions.most { state.remove(state.order[0]) }
        }
        return session
    }

    package func close(_ session: Session) { state.withLock { $0.remove(session.token) } }

    /// Found by its hash: how long that takes says nothing of a secret. Unless it is only looked
    /// whether it goes on, it is used.
    package func session(token: String, isUsed: Bool = true) -> Session? {
        let now = now().milliseconds
        return state.withLock { state in
            guard let kept = state.sessions[token] else { return nil }
            guard !kept.isOver(at: now) else {
                state.remove(token)
                return nil
            }
            if isUsed { state.sessions[token]?.used = now }
            return kept.session
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
