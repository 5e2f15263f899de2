import KioskServer
import Testing

@Suite("How often somebody may try to log in")
struct CashierLimitsTests {
    private static let (here, there) = ("192.0.2.1", "192.0.2.2")

    @Test("after five wrong passwords in a minute under one name they are told how long to wait")
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

    @Test("after twenty under all names from one origin, made up ones, too")
    func allNames() {
        var limits = LoginLimits()
        for number in 0..<LoginLimits.ofAnOrigin {
            #expect(limits.wait("nobody \(number)", from: Self.here, at: 0) == nil)
            limits.fail("nobody \(number)", from: Self.here, at: 0)
        }
        #expect(limits.wait("Ann", from: Self.here, at: 1) == 60)
        #expect(limits.wait("Ann", from: Self.here, at: 60_000) == nil)
    }

    @Test("a stranger elsewhere keeps no cashier out, whatever names they try")
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

    @Test("300 tills behind one address may log in at once: only a wrong password counts")
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

    @Test("who knows the password has not tried; others still have")
    func forgiven() {
        var limits = LoginLimits()
        for _ in 0..<LoginLimits.ofAName {
            limits.fail("Ann", from: Self.here, at: 0)
            limits.fail("Bob", from: Self.here, at: 0)
        }
        limits.forgive("Ann", from: Self.here)
        #expect(limits.wait("Ann", from: Self.here, at: 0) == nil)
        #expect(limits.wait("Bob", from: Self.here, at: 0) != nil)
    }
}

@Suite("Logins that wait for their turn")
struct LoginQueueTests {
    @Test("origins take turns, so that one with many keeps nobody waiting")
    func turns() {
        var queue = LoginQueue()
        for number in 0..<100 { #expect(queue.join("n\(number)", from: "a") != nil) }
        #expect(queue.join("Ann", from: "b") != nil)
        #expect(queue.join("Bob", from: "b") != nil)
        let first = (0..<5).compactMap { _ in queue.next() }
        #expect(first.map(\.name) == ["n0", "Ann", "n1", "Bob", "n2"])
        #expect(queue.count == 97)
        while queue.next() != nil {}
        #expect(queue.count == 0)
        #expect(queue.join("Ann", from: "b") != nil && queue.next()?.name == "Ann")
    }

    @Test("one name from one origin waits five times at most")
    func ofAName() {
        var queue = LoginQueue()
        for _ in 0..<LoginQueue.ofAName { #expect(queue.join("Ann", from: "a") != nil) }
        #expect(queue.join("Ann", from: "a") == nil)
        #expect(queue.join("Ann", from: "b") != nil && queue.join("Bob", from: "a") != nil)
    }

    @Test("a full queue takes no more, but from an origin with fewer than another")
    func full() throws {
        var queue = LoginQueue()
        for number in 0..<LoginQueue.most {
            #expect(queue.join("n\(number)", from: "a")?.displaced == nil)
        }
        #expect(queue.join("more", from: "a") == nil)
        let place = queue.join("Ann", from: "b")
        let joined = try #require(place)
        #expect(joined.displaced?.name == "n\(LoginQueue.most - 1)")
        #expect(queue.count == LoginQueue.most)
        // 300 tills fit.
        #expect(LoginQueue.most > 300)
    }
}
