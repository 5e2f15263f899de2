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

    private struct State {
        var sessions: [String: Session] = [:]
        var tokens: [String: String] = [:]
        var order: [String] = []

        mutating func remove(_ token: String) {
            guard let session = sessions.removeValue(forKey: token) else { return }
            tokens[session.cookie] = nil
            order.removeAll { $0 == token }
        }
    }

    private let now: @Sendable () -> Timestamp
    private let state = Guarded(State())

    package init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    package func open(_ cashier: Cashier?) -> Session {
        let session = Session(
            token: KioskSessions.newSecret(), cookie: KioskSessions.newSecret(), cashier: cashier,
            end: now().milliseconds + KioskSessions.hours * 3_600_000)
        state.withLock { state in
            state.sessions[session.token] = session
            state.tokens[session.cookie] = session.token
            state.order.append(session.token)
            if state.order.count > KioskSessions.most { state.remove(state.order[0]) }
        }
        return session
    }

    package func close(_ session: Session) { state.withLock { $0.remove(session.token) } }

    /// Found by its hash: how long that takes says nothing of a secret.
    package func session(token: String) -> Session? {
        let now = now().milliseconds
        return state.withLock { state in
            guard let session = state.sessions[token] else { return nil }
            guard now < session.end else {
                state.remove(token)
                return nil
            }
            return session
        }
    }

    package func session(cookie: String) -> Session? {
        state.withLock { $0.tokens[cookie] }.flatMap { session(token: $0) }
    }

    private static func newSecret() -> String {
        RandomBytes.make(secretBytes).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}
