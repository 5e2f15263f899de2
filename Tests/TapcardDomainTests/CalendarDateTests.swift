import TapcardDomain
import Testing

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
