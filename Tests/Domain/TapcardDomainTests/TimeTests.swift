import TapcardDomain
import Testing

@Suite("Timestamps")
struct TimestampTests {
    @Test("A time difference is in milliseconds and never negative")
    func difference() {
        let early = Timestamp(milliseconds: 1_000)
        let late = early.adding(milliseconds: 120_000)
        #expect(late.millisecondsSince(early) == 120_000)
        #expect(early.millisecondsSince(late) == 0)
        #expect(early < late)
        #expect(!(late < early))
    }
}

@Suite("Calendar dates")
struct CalendarDateTests {
    @Test(
        "A date is read and written as year, month and day",
        arguments: ["2023-05-15", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"])
    func roundTrip(text: String) {
        #expect(CalendarDate(text)?.description == text)
    }

    @Test(
        "A date that does not exist or is malformed is refused",
        arguments: [
            "2023-02-29", "1900-02-29", "2023-04-31", "2023-13-01", "2023-00-10", "2023-01-00",
            "2023-01-32", "0000-01-01", "2023-1-1", "23-01-01", "2023/01/01", "2023-01-01T00:00",
            "20230101", "", "2023-01-0a", "+023-01-01", "２０２３-01-01",
        ])
    func missing(text: String) {
        #expect(CalendarDate(text) == nil)
    }

    @Test("Each day follows the one before it through a whole cycle of leap years")
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

@Suite("Civil time")
struct CivilTimeTests {
    @Test(
        "Known timestamps convert to civil time and back",
        arguments: [
            (0, "1970-01-01 00:00:00"), (-1, "1969-12-31 23:59:59"),
            (784_111_777, "1994-11-06 08:49:37"), (951_782_399, "2000-02-28 23:59:59"),
            (951_782_400, "2000-02-29 00:00:00"), (1_619_457_982, "2021-04-26 17:26:22"),
            (4_107_542_399, "2100-02-28 23:59:59"), (4_107_542_400, "2100-03-01 00:00:00"),
            (-62_135_596_800, "0001-01-01 00:00:00"), (253_402_300_799, "9999-12-31 23:59:59"),
        ] as [(Int64, String)])
    func known(seconds: Int64, text: String) {
        let time = Timestamp(milliseconds: seconds * 1_000)
        let civil = CivilTime(time.adding(milliseconds: 999))
        #expect(civil?.description == text && civil == CivilTime(text))
        #expect(civil?.timestamp == time)
    }

    @Test("Each day of four hundred years converts to civil time and back")
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
        "A timestamp outside the calendar has no civil time",
        arguments: [-62_135_596_800_001, 253_402_300_800_000, .min, .max] as [Int64])
    func outside(milliseconds: Int64) {
        #expect(CivilTime(Timestamp(milliseconds: milliseconds)) == nil)
    }

    @Test("Text that is not a civil time is refused")
    func none() {
        for text in [
            "", "2021-04-26", "2021-02-30 17:26:22", "2021-04-26 24:00:00", "2021-04-26 +1:26:22",
            "2021-04-26T17:26:22", "2021-04-26 17:26:22 ", "2021-04-26  17:26:22",
            "2021-04-26 17:60:22", "2021-04-26 17:26:61", "2021-04-26 17:26",
        ] {
            #expect(CivilTime(text) == nil, "\(text)")
        }
    }

    @Test("A leap second is read as the second after it")
    func leapSecond() {
        #expect(CivilTime("2016-12-31 23:59:60") == CivilTime("2017-01-01 00:00:00"))
    }
}
