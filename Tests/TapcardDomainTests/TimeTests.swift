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

@Suite("A date")
struct CalendarDateTests {
    @Test(
        "is read and written as year, month and day",
        arguments: ["2023-05-15", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"])
    func roundTrip(text: String) {
        #expect(CalendarDate(text)?.description == text)
    }

    @Test(
        "that does not exist is none",
        arguments: [
            "2023-02-29", "1900-02-29", "2023-04-31", "2023-13-01", "2023-00-10", "2023-01-00",
            "2023-01-32", "0000-01-01", "2023-1-1", "23-01-01", "2023/01/01", "2023-01-01T00:00",
            "20230101", "", "2023-01-0a", "+023-01-01", "２０２３-01-01",
        ])
    func missing(text: String) {
        #expect(CalendarDate(text) == nil)
    }

    @Test("comes after the one before it, through a whole cycle of leap years")
    func succession() throws {
        var date = try #require(CalendarDate("1999-12-31"))
        var count = 0
        while date.year < 2400 {
            let next = try #require(date.next)
            #expect(date < next)
            date = next
            count += 1
        }
        // 400 years have 146,097 days, and one more was before them.
        #expect(date.description == "2400-01-01")
        #expect(count == 146_098)
        #expect(CalendarDate("9999-12-31")?.next == nil)
    }
}

@Suite("Seconds by calendar and clock")
struct CivilTimeTests {
    @Test(
        "known moments",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_619_457_982, "Mon, 26 Apr 2021 17:26:22 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)])
    func known(seconds: Int64, text: String) {
        let time = Timestamp(milliseconds: seconds * 1_000)
        #expect(HTTPDate.text(time.adding(milliseconds: 999)) == text)
        #expect(HTTPDate.parsing(text) == time)
        #expect(CivilTime(time.adding(milliseconds: 999))?.timestamp == time)
    }

    @Test("day after day as the calendar has it, for four hundred years")
    func days() throws {
        var date = try #require(CalendarDate("1970-01-01"))
        for day in 0..<146_097 as Range<Int64> {
            let time = Timestamp(milliseconds: day * 86_400_000)
            let found = CivilTime(time)
            guard found?.description == "\(date) 00:00:00", found?.timestamp == time else {
                Issue.record("day \(day) is \(found?.description ?? "none") instead of \(date)")
                return
            }
            date = try #require(date.next)
        }
    }

    @Test(
        "outside the calendar there is none",
        arguments: [-62_135_596_800_001, 253_402_300_800_000, .min, .max] as [Int64])
    func outside(milliseconds: Int64) {
        #expect(CivilTime(Timestamp(milliseconds: milliseconds)) == nil)
        #expect(HTTPDate.text(Timestamp(milliseconds: milliseconds)) == nil)
    }

    @Test("what ranking tables say")
    func table() {
        let time = CivilTime(Timestamp(milliseconds: 1_619_457_982_000))
        #expect(time?.description == "2021-04-26 17:26:22")
        #expect(CivilTime("2021-04-26 17:26:22") == time)
        for text in [
            "", "2021-04-26", "2021-02-30 17:26:22", "2021-04-26 24:00:00", "2021-04-26 +1:26:22",
            "2021-04-26T17:26:22", "2021-04-26 17:26:22 ", "2021-04-26  17:26:22",
        ] {
            #expect(CivilTime(text) == nil, "\(text)")
        }
    }

    @Test("a second that was put in is the one after it")
    func leapSecond() {
        #expect(
            HTTPDate.parsing("Sat, 31 Dec 2016 23:59:60 GMT")
                == HTTPDate.parsing("Sun, 01 Jan 2017 00:00:00 GMT"))
    }

    @Test(
        "text that is not a date of HTTP",
        arguments: [
            "", "0", "Mon, 26 Apr 2021 17:26:22", "Mon, 26 Apr 2021 17:26:22 CET",
            "Mon 26 Apr 2021 17:26:22 GMT", "Mon, 6 Apr 2021 17:26:22 GMT",
            "Mon, 31 Apr 2021 17:26:22 GMT", "Mon, 26 apr 2021 17:26:22 GMT",
            "Mon, 26 Apr 2021 24:00:00 GMT", "Mon, 26 Apr 2021 17:60:22 GMT",
            "Mon, 26 Apr 2021 17:26:61 GMT", "Mon, 26 Apr 2021 17:26 GMT",
            "Mon, 26 Apr 2021 7:26:22 GMT", "Mon,  26 Apr 2021 17:26:22 GMT",
            "Mon, +6 Apr 2021 17:26:22 GMT", "Mon, 26 Apr 0000 17:26:22 GMT",
            "x, 26 Apr 2021 17:26:22 GMT", "Mon, 26 Apr 2021 17:26:22:x GMT",
            "2021-04-26 17:26:22", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func none(text: String) {
        #expect(HTTPDate.parsing(text) == nil)
    }
}
