import TapcardDomain
import Testing

@Suite("A moment")
struct TimestampTests {
    @Test("is counted in milliseconds, and is never before another one")
    func difference() {
        let early = Timestamp(milliseconds: 1_000)
        let late = early.adding(milliseconds: 120_000)
        #expect(late.millisecondsSince(early) == 120_000)
        #expect(early.millisecondsSince(late) == 0)
        #expect(early < late)
        #expect(!(late < early))
    }
}
