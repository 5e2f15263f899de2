import KioskServer
import Testing

@Suite("How often somebody may try to log in")
struct CashierLimitsTests {
    private static let (here, there) = ("192.0.2.1", "192.0.2.2")

    @Test("five times a minute under one name, and the next is told how long to wait")
    func oneName() {
        var limits = LoginLimits()
        for second in 0..<5 {
            #expect(limits.admit("Ann", from: Self.here, at: Int64(second) * 1_000) == nil)
        }
        #expect(limits.admit("Ann", from: Self.here, at: 5_000) == 55)
        #expect(limits.admit("Bob", from: Self.here, at: 5_000) == nil)
        #expect(limits.admit("Ann", from: Self.here, at: 59_999) == 1)
        #expect(limits.admit("Ann", from: Self.here, at: 60_000) == nil)
        #expect(limits.admit("Ann", from: Self.here, at: 60_000) == 1)
    }

    @Test("twenty times a minute under all names from one address, made up ones, too")
    func allNames() {
        var limits = LoginLimits()
        for number in 0..<LoginLimits.ofAnAddress {
            #expect(limits.admit("nobody \(number)", from: Self.here, at: 0) == nil)
        }
        #expect(limits.admit("Ann", from: Self.here, at: 1) == 60)
        #expect(limits.admit("Ann", from: Self.here, at: 60_000) == nil)
    }

    @Test("a stranger elsewhere keeps no cashier out, whatever names they try")
    func elsewhere() {
        var limits = LoginLimits()
        for second in 0..<60 {
            _ = limits.admit("Ann", from: Self.there, at: Int64(second) * 1_000)
            _ = limits.admit("nobody \(second)", from: Self.there, at: Int64(second) * 1_000)
        }
        #expect(limits.admit("Ann", from: Self.there, at: 59_999) != nil)
        #expect(limits.admit("Ann", from: Self.here, at: 59_999) == nil)
        limits.forgive("Ann", from: Self.here)
        #expect(limits.admit("Ann", from: Self.there, at: 59_999) != nil)
    }

    @Test("who knows the password has not tried; others still have")
    func forgiven() {
        var limits = LoginLimits()
        for _ in 0..<100 {
            #expect(limits.admit("Ann", from: Self.here, at: 0) == nil)
            limits.forgive("Ann", from: Self.here)
        }
        for _ in 0..<LoginLimits.ofAName {
            #expect(limits.admit("Bob", from: Self.here, at: 0) == nil)
        }
        limits.forgive("Ann", from: Self.here)
        #expect(limits.admit("Bob", from: Self.here, at: 0) != nil)
    }

    @Test("a clock that is set back locks no cashier out")
    func clock() {
        var limits = LoginLimits()
        for _ in 0..<LoginLimits.ofAName {
            #expect(limits.admit("Ann", from: Self.here, at: 9_000_000) == nil)
        }
        #expect(limits.admit("Ann", from: Self.here, at: 9_000_000) != nil)
        #expect(limits.admit("Ann", from: Self.here, at: 1_000) == nil)
    }
}
