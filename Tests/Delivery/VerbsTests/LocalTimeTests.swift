import TapcardDomain
import Testing
import Verbs

@Suite("Times in words")
struct LocalTimeTests {
    @Test("Seconds are rounded down to minutes, and one minute is singular")
    func minutes() {
        let told = [0, 59, 60, 119, 120].map { LocalTime.minutes(.seconds($0)) }
        #expect(told == ["0 minutes", "0 minutes", "1 minute", "1 minute", "2 minutes"])
    }

    @Test("The time in an HTTP header is read, and nothing else is")
    func http() {
        let time = LocalTime.time(http: "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(time?.milliseconds == 784_111_777_000)
        for other in [
            "", "now", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nom 1994 08:49:37 GMT",
            "Sun, 31 Feb 2026 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ] { #expect(LocalTime.time(http: other) == nil, "\(other)") }
    }
}
