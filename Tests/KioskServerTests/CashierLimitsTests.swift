import KioskServer
import Testing

@Suite("How often somebody may try to log in")
struct CashierLimitsTests {
    @Test("five times a minute under one name, and the next is told how long to wait")
    func oneName() {
        var limits = LoginLimits()
        for second in 0..<5 { #expect(limits.admit("Ann", at: Int64(second) * 1_000) == nil) }
        #expect(limits.admit("Ann", at: 5_000) == 55)
        #expect(limits.admit("Bob", at: 5_000) == nil)
        #expect(limits.admit("Ann", at: 59_999) == 1)
        #expect(limits.admit("Ann", at: 60_000) == nil)
        #expect(limits.admit("Ann", at: 60_000) == 1)
    }

    @Test("twenty times a minute under all names, made up ones, too")
    func allNames() {
        var limits = LoginLimits()
        for number in 0..<LoginLimits.inAll {
            #expect(limits.admit("nobody \(number)", at: 0) == nil)
        }
        #expect(limits.admit("Ann", at: 1) == 60)
        #expect(limits.admit("Ann", at: 60_000) == nil)
    }

    @Test("who knows the password has not tried; others still have")
    func forgiven() {
        var limits = LoginLimits()
        for _ in 0..<100 {
            #expect(limits.admit("Ann", at: 0) == nil)
            limits.forgive("Ann")
        }
        for _ in 0..<LoginLimits.ofAName { #expect(limits.admit("Bob", at: 0) == nil) }
        limits.forgive("Ann")
        #expect(limits.admit("Bob", at: 0) != nil)
    }

    @Test("a clock that is set back locks nobody out")
    func clock() {
        var limits = LoginLimits()
        for _ in 0..<LoginLimits.ofAName { #expect(limits.admit("Ann", at: 9_000_000) == nil) }
        #expect(limits.admit("Ann", at: 9_000_000) != nil)
        #expect(limits.admit("Ann", at: 1_000) == nil)
    }
}
