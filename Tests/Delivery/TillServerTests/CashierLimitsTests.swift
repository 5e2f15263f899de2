import Testing
import TillServer

@Suite("Limits on logins")
struct CashierLimitsTests {
    private static let (here, there) = ("192.0.2.1", "192.0.2.2")

    @Test("Five wrong passwords in a minute lock the name, and the answer says how long to wait")
    func oneName() {
        var limits = LoginLimits()
        for second in 0..<5 {
            #expect(limits.wait("Ann", from: Self.here, at: Int64(second) * 1_000) == nil)
            limits.fail("Ann", from: Self.here, at: Int64(second) * 1_000)
        }
        #expect(limits.wait("Ann", from: Self.here, at: 5_000) == 55)
        #expect(limits.wait("Bob", from: Self.here, at: 5_000) == nil)
        #expect(limits.wait("Ann", from: Self.here, at: 59_999) == 1)
        #expect(limits.wait("Ann", from: Self.here, at: 60_000) == nil)
        limits.fail("Ann", from: Self.here, at: 60_000)
        #expect(limits.wait("Ann", from: Self.here, at: 60_000) == 1)
    }

    @Test("Too many wrong passwords from one origin lock it, even under made-up names")
    func allNames() {
        var limits = LoginLimits()
        for number in 0..<LoginLimits.maximumPerOrigin {
            #expect(limits.wait("nobody \(number)", from: Self.here, at: 0) == nil)
            limits.fail("nobody \(number)", from: Self.here, at: 0)
        }
        #expect(limits.wait("Ann", from: Self.here, at: 1) == 60)
        #expect(limits.wait("Ann", from: Self.here, at: 60_000) == nil)
    }

    @Test("Wrong passwords from one origin lock no cashier out at another origin")
    func elsewhere() {
        var limits = LoginLimits()
        for second in 0..<60 {
            limits.fail("Ann", from: Self.there, at: Int64(second) * 1_000)
            limits.fail("nobody \(second)", from: Self.there, at: Int64(second) * 1_000)
        }
        #expect(limits.wait("Ann", from: Self.there, at: 59_999) != nil)
        #expect(limits.wait("Ann", from: Self.here, at: 59_999) == nil)
        limits.forgive("Ann", from: Self.here)
        #expect(limits.wait("Ann", from: Self.there, at: 59_999) != nil)
    }

    @Test("Logins of 300 tills behind one address are not limited, even after a mistake each")
    func tills() {
        var limits = LoginLimits()
        for number in 0..<300 {
            #expect(limits.wait("till \(number)", from: Self.here, at: 0) == nil)
        }
        // Also where each of them is mistaken once, as long as they log in after it.
        for number in 0..<300 {
            limits.fail("till \(number)", from: Self.here, at: 0)
            #expect(limits.wait("till \(number)", from: Self.here, at: 0) == nil)
            limits.forgive("till \(number)", from: Self.here)
        }
    }

    @Test("A correct password clears the failures of its own name only")
    func forgiven() {
        var limits = LoginLimits()
        for _ in 0..<LoginLimits.maximumPerName {
            limits.fail("Ann", from: Self.here, at: 0)
            limits.fail("Bob", from: Self.here, at: 0)
        }
        limits.forgive("Ann", from: Self.here)
        #expect(limits.wait("Ann", from: Self.here, at: 0) == nil)
        #expect(limits.wait("Bob", from: Self.here, at: 0) != nil)
    }
}

@Suite("The queue of logins")
struct LoginQueueTests {
    @Test("Origins take turns, so that one with many logins holds up no other")
    func turns() {
        var queue = LoginQueue()
        for number in 0..<100 { #expect(queue.join("n\(number)", from: "a", at: 0) != nil) }
        #expect(queue.join("Ann", from: "b", at: 0) != nil)
        #expect(queue.join("Bob", from: "b", at: 0) != nil)
        let first = (0..<5).compactMap { _ in queue.next() }
        #expect(first.map(\.name) == ["n0", "Ann", "n1", "Bob", "n2"])
        #expect(queue.count == 97)
        while queue.next() != nil {}
        #expect(queue.count == 0)
        #expect(queue.join("Ann", from: "b", at: 0) != nil && queue.next()?.name == "Ann")
    }

    @Test("One name from one origin waits only a limited number of times")
    func maximumPerName() {
        var queue = LoginQueue()
        for _ in 0..<LoginQueue.maximumPerName {
            #expect(queue.join("Ann", from: "a", at: 0) != nil)
        }
        #expect(queue.join("Ann", from: "a", at: 0) == nil)
        #expect(
            queue.join("Ann", from: "b", at: 0) != nil && queue.join("Bob", from: "a", at: 0) != nil
        )
    }

    @Test("A full queue takes a login only from an origin that has fewer waiting")
    func full() throws {
        var queue = LoginQueue()
        for number in 0..<LoginQueue.maximumCount {
            #expect(queue.join("n\(number)", from: "a", at: 0)?.displaced == nil)
        }
        #expect(queue.join("more", from: "a", at: 0) == nil)
        let place = queue.join("Ann", from: "b", at: 0)
        let joined = try #require(place)
        #expect(joined.displaced?.name == "n\(LoginQueue.maximumCount - 1)")
        #expect(queue.count == LoginQueue.maximumCount)
        // 300 tills fit.
        #expect(LoginQueue.maximumCount > 300)
    }

    @Test("Clients that give up after ten seconds and try again all log in")
    func givenUp() {
        var queue = LoginQueue()
        let (comparing, patience, pause): (Int64, Int64, Int64) = (600, 10_000, 1_500)
        let tills = (0..<60).map { "till \($0)" }
        var next = Dictionary(uniqueKeysWithValues: tills.map { ($0, Int64(0)) })
        var waiting: [String: Int64] = [:]
        var (isIn, now): (Set<String>, Int64) = ([], 0)
        while isIn.count < tills.count, now < 60_000 {
            for (till, since) in waiting where since + patience <= now {
                (waiting[till], next[till]) = (nil, now + pause)
            }
            for ticket in queue.expire(at: now) where waiting[ticket.name] == ticket.since {
                (waiting[ticket.name], next[ticket.name]) = (nil, now + pause)
            }
            for till in tills {
                guard let time = next[till], time <= now else { continue }
                let isTaken = queue.join(till, from: "a", at: now) != nil
                (waiting[till], next[till]) = isTaken ? (now, nil) : (nil, now + pause)
            }
            guard let ticket = queue.next() else {
                now += 100
                continue
            }
            now += comparing
            let isAwaited = waiting[ticket.name] == ticket.since && now < ticket.since + patience
            #expect(isAwaited, "\(ticket)")
            if isAwaited { isIn.insert(ticket.name) }
            waiting[ticket.name] = nil
        }
        #expect(isIn.count == tills.count)
    }
}
