import CustomerServer
import Ledger
import TapcardDomain
import Testing

@Suite("Limits on requests") struct RequestLimitTests {
    @Test("A limit ends after a minute")
    func endsAfterAMinute() {
        var limits = RequestLimits<String>(maximum: 2, tracking: 10)
        #expect(limits.admit("a", at: 1_000) == nil)
        #expect(limits.admit("a", at: 1_001) == nil)
        #expect(limits.admit("a", at: 1_002) == 60)
        #expect(limits.admit("b", at: 1_002) == nil)
        #expect(limits.admit("a", at: 60_999) == 1)
        #expect(limits.admit("a", at: 61_000) == nil)
        // A clock that was set back locks no client out.
        #expect(limits.admit("a", at: 0) == nil)
    }

    @Test("Only the newest clients are counted, so many addresses cannot fill the memory")
    func countsAFewAtATime() {
        var limits = RequestLimits<Int>(maximum: 1, tracking: 10)
        for number in 0..<1_000 { #expect(limits.admit(number, at: Int64(number)) == nil) }
        #expect(limits.counted == 10)
        // The newest are still counted.
        #expect(limits.admit(999, at: 1_000) != nil)
        #expect(limits.admit(990, at: 1_000) != nil)
        #expect(limits.admit(989, at: 1_000) == nil)
        // Minutes that are over make room first.
        #expect(limits.admit(2_000, at: 70_000) == nil)
        #expect(limits.counted == 1)
    }
}

@Suite("Pages kept for a browser") struct ShownCardTests {
    private static let uid = CardUID(bytes: [4, 1, 2, 3, 4, 5, 6])

    @Test("A page is kept for a minute, for its own cookie, tap and account only")
    func areKeptForAMinuteForOneBrowser() throws {
        var shown = ShownCards()
        let uid = try #require(ShownCardTests.uid)
        let (one, two) = (try #require(ReadCounter(1)), try #require(ReadCounter(2)))
        let (old, new) = (Account.purse(uid, 0), Account.purse(uid, 1))
        let cookie = shown.keep(uid, one, old, at: 5_000)
        #expect(cookie.utf8.count == 48)
        #expect(shown.has(cookie, uid, one, old, at: 64_999))
        #expect(!shown.has(cookie, uid, one, old, at: 65_000))
        #expect(!shown.has(cookie, uid, two, old, at: 5_001))
        #expect(!shown.has(cookie, uid, one, new, at: 5_001))
        #expect(!shown.has(cookie + "0", uid, one, old, at: 5_001))
        #expect(!shown.has("", uid, one, old, at: 5_001))
        let other = shown.keep(uid, two, old, at: 5_001)
        #expect(other != cookie && shown.count == 2)
    }

    @Test("Only a limited number of pages is kept, and the oldest go first")
    func areBounded() throws {
        var shown = ShownCards()
        let uid = try #require(ShownCardTests.uid)
        let counter = try #require(ReadCounter(1))
        let old = Account.purse(uid, 0)
        let first = shown.keep(uid, counter, old, at: 0)
        var last = first
        for _ in 0..<(ShownCards.maximumCount + 10) { last = shown.keep(uid, counter, old, at: 1) }
        #expect(shown.count == ShownCards.maximumCount)
        #expect(
            !shown.has(first, uid, counter, old, at: 2) && shown.has(last, uid, counter, old, at: 2)
        )
        // What is over goes first.
        _ = shown.keep(uid, counter, old, at: 60_001)
        #expect(shown.count == 1)
    }
}
