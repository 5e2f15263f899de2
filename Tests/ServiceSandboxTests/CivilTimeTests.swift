import ServiceSandbox
import TapcardDomain
import Testing

@Suite("Seconds by calendar and clock")
struct CivilTimeTests {
    @Test(
        "known moments",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_619_457_982, "Mon, 26 Apr 2021 17:26:22 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)])
    func known(seconds: Int64, text: String) throws {
        let time = try #require(CivilTime(Timestamp(milliseconds: seconds * 1_000 + 999)))
        #expect(time.httpText == text)
        #expect(CivilTime(httpText: text) == time)
    }

    @Test("day after day as the calendar has it, for four hundred years")
    func days() throws {
        var date = try #require(CalendarDate("1970-01-01"))
        for day in 0..<146_097 as Range<Int64> {
            let time = CivilTime(Timestamp(milliseconds: day * 86_400_000))
            guard time?.tableText == "\(date) 00:00:00" else {
                Issue.record("day \(day) is \(time?.tableText ?? "none") instead of \(date)")
                return
            }
            date = try #require(date.next)
        }
    }

    @Test("before 1970 and after 9999 there is none")
    func outside() {
        #expect(CivilTime(Timestamp(milliseconds: -1)) == nil)
        #expect(CivilTime(Timestamp(milliseconds: 253_402_300_800_000)) == nil)
        #expect(CivilTime(Timestamp(milliseconds: .max)) == nil)
    }

    @Test("what ranking tables say")
    func table() {
        #expect(
            CivilTime(Timestamp(milliseconds: 1_619_457_982_000))?.tableText
                == "2021-04-26 17:26:22")
    }

    @Test(
        "what is no date of HTTP",
        arguments: [
            "", "Mon, 26 Apr 2021 17:26:22", "Mon, 26 Apr 2021 17:26:22 CET",
            "Mon 26 Apr 2021 17:26:22 GMT", "Mon, 6 Apr 2021 17:26:22 GMT",
            "Mon, 31 Apr 2021 17:26:22 GMT", "Mon, 26 apr 2021 17:26:22 GMT",
            "Mon, 26 Apr 2021 24:00:00 GMT", "Mon, 26 Apr 2021 17:60:22 GMT",
            "Mon, 26 Apr 2021 17:26 GMT", "Mon, 26 Apr 2021 7:26:22 GMT",
            "Mon,  26 Apr 2021 17:26:22 GMT", "2021-04-26 17:26:22",
        ])
    func none(text: String) {
        #expect(CivilTime(httpText: text) == nil)
    }
}
