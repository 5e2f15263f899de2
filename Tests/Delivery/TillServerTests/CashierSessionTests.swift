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
        let (session, own) = sessions.open(try ann())
        let (other, others) = sessions.open(nil)
        #expect(session.cashier?.name.text == "Ann" && other.cashier == nil)
        #expect(sessions.session(token: own.token) == session)
        #expect(sessions.session(cookie: own.cookie) == session)
        #expect(sessions.session(token: own.cookie) == nil)
        #expect(sessions.session(cookie: own.token) == nil)
        #expect(Set([own.token, own.cookie, others.token, others.cookie]).count == 4)
        #expect(own.token.utf8.count == 48)
        sessions.close(session)
        #expect(sessions.session(token: own.token) == nil)
        #expect(sessions.session(cookie: own.cookie) == nil)
        #expect(sessions.session(token: others.token) == other)
    }

    @Test("A session of another server has its age and its idle time here, too")
    func adopted() throws {
        let clock = Clock(Self.start)
        let (there, here) = (TillSessions { clock.now }, TillSessions { clock.now })
        let (session, own) = there.open(try ann(), at: 101)
        let minute: Int64 = 60_000
        here.adopt(
            id: session.id, cookie: session.cookie, of: try ann(), at: 101, age: 30 * minute,
            idle: 20 * minute)
        #expect(here.session(token: own.token, isUsed: false)?.till == 101)
        clock.advance(minutes: 10)
        #expect(here.session(cookie: own.cookie) == nil)
        here.adopt(
            id: session.id, cookie: session.cookie, of: try ann(), at: 101,
            age: TillSessions.limit - minute, idle: 0)
        #expect(here.session(token: own.token) != nil)
        clock.advance(minutes: 1)
        #expect(here.session(token: own.token) == nil)
    }

    @Test("A session that ended at another server ends here within half a minute")
    func endedElsewhere() throws {
        let clock = Clock(Self.start)
        let (there, here) = (TillSessions { clock.now }, TillSessions { clock.now })
        let (session, own) = there.open(try ann(), at: 101)
        func adopt() throws {
            here.adopt(
                id: session.id, cookie: session.cookie, of: try ann(), at: 101, age: 0, idle: 0)
        }
        try adopt()
        clock.advance(minutes: 1, less: 30_001)
        #expect(here.session(token: own.token) != nil)
        clock.advance(less: -1)
        // Now the ledger is asked for it again.
        #expect(here.session(token: own.token) == nil && here.session(cookie: own.cookie) == nil)
        try adopt()
        here.forget(at: 102, except: [])
        here.forget(at: 101, except: [session.id])
        #expect(here.session(token: own.token) != nil)
        for sessions in [there, here] { sessions.forget(at: 101, except: []) }
        #expect(here.session(token: own.token) == nil)
        // Where it was opened, it does not depend on the ledger.
        #expect(there.session(token: own.token) == session)
    }

    @Test("A use is recorded every five minutes")
    func recording() throws {
        let clock = Clock(Self.start)
        let sessions = TillSessions { clock.now }
        let (session, _) = sessions.open(try ann(), at: 101)
        clock.advance(minutes: 5, less: 1)
        #expect(!sessions.mustRecord(session))
        clock.advance(less: -1)
        #expect(sessions.mustRecord(session) && !sessions.mustRecord(session))
        sessions.close(session)
        clock.advance(minutes: 5)
        #expect(!sessions.mustRecord(session))
    }

    @Test("A session ends twelve hours after it began, even in constant use")
    func end() throws {
        let clock = Clock(Self.start)
        let sessions = TillSessions { clock.now }
        let (session, own) = sessions.open(try ann())
        let uses = TillSessions.hours * 60 / 20
        for _ in 1..<uses {
            clock.advance(minutes: 20)
            #expect(sessions.session(token: own.token) == session)
        }
        clock.advance(minutes: 20, less: 1)
        #expect(sessions.session(token: own.token) == session)
        clock.advance(less: -1)
        #expect(sessions.session(cookie: own.cookie) == nil)
        #expect(sessions.session(token: own.token) == nil)
        // It is gone for good.
        clock.advance(hours: -1)
        #expect(sessions.session(token: own.token) == nil)
    }

    @Test("A session ends thirty minutes after its last use, and checking on it is not use")
    func idle() throws {
        let clock = Clock(Self.start)
        let sessions = TillSessions { clock.now }
        let (session, own) = sessions.open(try ann())
        let (nobodys, theirs) = sessions.open(nil)
        clock.advance(minutes: TillSessions.idleMinutes, less: 1)
        #expect(sessions.session(cookie: own.cookie) == session)
        clock.advance(minutes: TillSessions.idleMinutes, less: 1)
        #expect(sessions.session(cookie: own.cookie, isUsed: false) == session)
        #expect(sessions.session(token: own.token, isUsed: false) == session)
        clock.advance(less: -1)
        #expect(sessions.session(token: own.token) == nil)
        // Without a session there is nothing to log out of.
        #expect(sessions.session(token: theirs.token) == nobodys)
    }

    @Test("The oldest session is dropped when there are too many")
    func most() {
        let sessions = TillSessions { Self.start }
        let all = (0...TillSessions.maximumCount).map { _ in sessions.open(nil) }
        #expect(sessions.session(token: all[0].secrets.token) == nil)
        #expect(sessions.session(cookie: all[0].secrets.cookie) == nil)
        #expect(
            all.dropFirst().allSatisfy { sessions.session(token: $0.secrets.token) == $0.session })
    }
}
