import BlockingLane
import CardCryptography
import StationFiles
import TapcardCore
import TapcardDomain
import Testing
import TillServer

@Suite("Sessions at the till page")
struct CashierSessionTests {
    /// A clock that is set by hand.
    private final class Clock: Sendable {
        private let time: Guarded<Int64>

        init(_ start: Int64) { time = Guarded(start) }

        var now: Int64 { time.withLock { $0 } }

        func advance(hours: Int64 = 0, minutes: Int64 = 0, less milliseconds: Int64 = 0) {
            time.withLock { $0 += hours * 3_600_000 + minutes * 60_000 - milliseconds }
        }
    }

    private static let start: Int64 = 1_000_000

    private func ann() throws -> Cashier {
        Cashier(
            try CashierName("Ann"),
            PasswordHash(
                cost: .standard, salt: [UInt8](repeating: 1, count: 16),
                bytes: [UInt8](repeating: 2, count: 32)), .owner)
    }

    @Test("A session is found by its token or its cookie, and neither works as the other")
    func secrets() throws {
        let sessions = TillSessions { Self.start }
        let (session, other) = (sessions.open(try ann()), sessions.open(nil))
        #expect(session.cashier?.name.text == "Ann" && other.cashier == nil)
        #expect(sessions.session(token: session.token) == session)
        #expect(sessions.session(cookie: session.cookie) == session)
        #expect(sessions.session(token: session.cookie) == nil)
        #expect(sessions.session(cookie: session.token) == nil)
        #expect(Set([session.token, session.cookie, other.token, other.cookie]).count == 4)
        #expect(session.token.utf8.count == 48)
        sessions.close(session)
        #expect(sessions.session(token: session.token) == nil)
        #expect(sessions.session(cookie: session.cookie) == nil)
        #expect(sessions.session(token: other.token) == other)
    }

    @Test("A session ends twelve hours after it began, even in constant use")
    func end() throws {
        let clock = Clock(Self.start)
        let sessions = TillSessions { clock.now }
        let session = sessions.open(try ann())
        let uses = TillSessions.hours * 60 / 20
        for _ in 1..<uses {
            clock.advance(minutes: 20)
            #expect(sessions.session(token: session.token) == session)
        }
        clock.advance(minutes: 20, less: 1)
        #expect(sessions.session(token: session.token) == session)
        clock.advance(less: -1)
        #expect(sessions.session(cookie: session.cookie) == nil)
        #expect(sessions.session(token: session.token) == nil)
        // It is gone for good.
        clock.advance(hours: -1)
        #expect(sessions.session(token: session.token) == nil)
    }

    @Test("A session ends thirty minutes after its last use, and checking on it is not use")
    func idle() throws {
        let clock = Clock(Self.start)
        let sessions = TillSessions { clock.now }
        let (session, nobodys) = (sessions.open(try ann()), sessions.open(nil))
        clock.advance(minutes: TillSessions.idleMinutes, less: 1)
        #expect(sessions.session(cookie: session.cookie) == session)
        clock.advance(minutes: TillSessions.idleMinutes, less: 1)
        #expect(sessions.session(cookie: session.cookie, isUsed: false) == session)
        #expect(sessions.session(token: session.token, isUsed: false) == session)
        clock.advance(less: -1)
        #expect(sessions.session(token: session.token) == nil)
        // Without a session there is nothing to log out of.
        #expect(sessions.session(token: nobodys.token) == nobodys)
    }

    @Test("The oldest session is dropped when there are too many")
    func most() {
        let sessions = TillSessions { Self.start }
        let all = (0...TillSessions.maximumCount).map { _ in sessions.open(nil) }
        #expect(sessions.session(token: all[0].token) == nil)
        #expect(sessions.session(cookie: all[0].cookie) == nil)
        #expect(all.dropFirst().allSatisfy { sessions.session(token: $0.token) == $0 })
    }
}
