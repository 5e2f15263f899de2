import Glibc
import Ledger
package import TapcardDomain

/// Formats for times, which are stored in UTC and shown in local time.
package enum LocalTime {
    /// The local time, such as "2026-11-21 14:05:09".
    package static func text(_ time: Timestamp) -> String {
        let parts = unsafe parts(time, localtime_r)
        return unsafe date(parts) + " " + clock(parts)
    }

    /// The time in UTC, such as "2026-11-21T13:05:09Z".
    package static func iso(_ time: Timestamp) -> String {
        let parts = unsafe parts(time, gmtime_r)
        return unsafe date(parts) + "T" + clock(parts) + "Z"
    }

    /// The local time with its distance from UTC, such as "2026-11-21T14:05:09+01:00".
    static func isoLocal(_ time: Timestamp) -> String {
        let parts = unsafe parts(time, localtime_r)
        let minutes = unsafe Int32(abs(parts.tm_gmtoff) / 60)
        let sign = unsafe parts.tm_gmtoff < 0 ? "-" : "+"
        return unsafe date(parts) + "T" + clock(parts) + sign + two(minutes / 60) + ":"
            + two(minutes % 60)
    }

    /// Parses text in the format of `iso`. Returns nil for any other format.
    static func time(iso text: String) -> Timestamp? {
        guard let day = CalendarDate(String(text.prefix(10))) else { return nil }
        let clock = text.dropFirst(11).prefix(8).split(separator: ":").compactMap { Int32($0) }
        guard clock.count == 3 else { return nil }
        var parts = unsafe parts(of: day)
        unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (clock[0], clock[1], clock[2])
        let time = Timestamp(milliseconds: Int64(unsafe timegm(&parts)) * 1_000)
        return iso(time) == text ? time : nil
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses the value of an HTTP `Date` header, such as "Tue, 01 Dec 2026 10:00:00 GMT". Returns
    /// nil for any other format.
    package static func time(http text: String) -> Timestamp? {
        let words = text.split(separator: " ")
        guard words.count == 6, let month = months.firstIndex(of: String(words[2])) else {
            return nil
        }
        return time(iso: "\(words[3])-\(two(Int32(month + 1)))-\(words[1])T\(words[4])Z")
    }

    /// The date in UTC, such as "2026-11-21".
    static func date(_ time: Timestamp) -> String { unsafe date(parts(time, gmtime_r)) }

    /// The local date and hour.
    static func dayAndHour(_ time: Timestamp) -> (day: CalendarDate?, hour: Int) {
        let parts = unsafe parts(time, localtime_r)
        return unsafe (
            CalendarDate(
                year: Int(parts.tm_year) + 1_900, month: Int(parts.tm_mon) + 1,
                day: Int(parts.tm_mday)), Int(parts.tm_hour)
        )
    }

    /// A span that contains a local day and some hours before and after it, because the clock may
    /// change at midnight.
    static func span(around day: CalendarDate) -> (start: Timestamp, end: Timestamp) {
        // From noon, 13 hours would be enough for the longest day; the rest is a margin.
        let margin: Int64 = 26 * 3_600_000
        // Every day has a noon, but midnight is skipped on days when the clock moves forward at
        // midnight.
        let noon = time(hours: 12, into: day).milliseconds
        return (Timestamp(milliseconds: noon - margin), Timestamp(milliseconds: noon + margin))
    }

    /// A span that contains all days from the first to the last, and some hours around them.
    /// Without a first or a last day, it has no limit at that end.
    static func span(
        from first: CalendarDate?, to last: CalendarDate?
    ) -> (start: Timestamp, end: Timestamp) {
        (
            first.map { span(around: $0).start } ?? .earliest,
            last.map { span(around: $0).end } ?? .latest
        )
    }

    /// The start of the next local day.
    static func end(of day: CalendarDate) -> Timestamp { time(hours: 24, into: day) }

    /// The time when local clocks show this hour of the day; 24 is midnight at its end.
    private static func time(hours: Int32, into day: CalendarDate) -> Timestamp {
        var parts = unsafe parts(of: day)
        unsafe parts.tm_hour = hours
        // A negative value makes mktime determine whether daylight saving time applies.
        unsafe parts.tm_isdst = -1
        return Timestamp(milliseconds: Int64(unsafe mktime(&parts)) * 1_000)
    }

    private static func parts(of day: CalendarDate) -> tm {
        var parts = unsafe tm()
        unsafe parts.tm_year = Int32(day.year - 1_900)
        unsafe parts.tm_mon = Int32(day.month - 1)
        unsafe parts.tm_mday = Int32(day.day)
        return unsafe parts
    }

    /// A duration in whole minutes, such as "1 minute".
    package static func minutes(_ duration: Duration) -> String {
        let minutes = duration.components.seconds / 60
        return minutes == 1 ? "1 minute" : "\(minutes) minutes"
    }

    private static func parts(
        _ time: Timestamp,
        _ convert: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?
    ) -> tm {
        var seconds = time_t(time.milliseconds / 1_000)
        var parts = unsafe tm()
        _ = unsafe convert(&seconds, &parts)
        return unsafe parts
    }

    private static func date(_ parts: tm) -> String {
        unsafe "\(parts.tm_year + 1_900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    }

    private static func clock(_ parts: tm) -> String {
        unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    }

    private static func two(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : String(number)
    }
}
