import Testing
import Verbs

@Suite("Times in words")
struct LocalTimeTests {
    @Test("Seconds are rounded down to minutes, and one minute is singular")
    func minutes() {
        let told = [0, 59, 60, 119, 120].map { LocalTime.minutes(.seconds($0)) }
        #expect(told == ["0 minutes", "0 minutes", "1 minute", "1 minute", "2 minutes"])
    }
}
