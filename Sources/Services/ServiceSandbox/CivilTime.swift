package import TapcardDomain

/// A second of UTC by calendar and clock, as headers and tables name it.
package struct CivilTime: Comparable, Hashable, Sendable {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let daysInFourCenturies: Int64 = 146_097
    private static let secondsInDay: Int64 = 86_400

    private let date: CalendarDate
    private let secondOfDay: Int
    /// 0 is the day of the week on which 1970 began. It follows from the date.
    private let weekday: Int

    /// Nil before 1970 and after the year 9999.
    package init?(_ time: Timestamp) {
        let seconds = time.milliseconds / 1_000
        guard time.milliseconds >= 0,
            let date = CivilTime.date(dayNumber: seconds / CivilTime.secondsInDay)
        else { return nil }
        self.date = date
        secondOfDay = Int(seconds % CivilTime.secondsInDay)
        weekday = Int(seconds / CivilTime.secondsInDay % 7)
    }

    /// Reads what `httpText` writes, and nothing else.
    package init?(httpText text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 6, words[1].utf8.count == 2, words[3].utf8.count == 4,
            let weekday = CivilTime.weekdays.firstIndex(where: { words[0] == "\($0)," }),
            let month = CivilTime.months.firstIndex(of: words[2]), words[5] == "GMT",
            let day = Int(words[1]), let year = Int(words[3]),
            let date = CalendarDate(year: year, month: month + 1, day: day)
        else { return nil }
        let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.map(\.utf8.count) == [2, 2, 2], let hour = Int(clock[0]),
            let minute = Int(clock[1]), let second = Int(clock[2]), (0..<24).contains(hour),
            (0..<60).contains(minute), (0..<60).contains(second)
        else { return nil }
        self.date = date
        secondOfDay = (hour * 60 + minute) * 60 + second
        self.weekday = weekday
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.date, left.secondOfDay) < (right.date, right.secondOfDay)
    }

    /// "Mon, 26 Apr 2021 17:26:22 GMT".
    package var httpText: String {
        let weekday = CivilTime.weekdays[weekday]
        let month = CivilTime.months[date.month - 1]
        return "\(weekday), \(two(date.day)) \(month) \(date.description.prefix(4)) \(clock) GMT"
    }

    /// "2021-04-26 17:26:22".
    package var tableText: String { "\(date) \(clock)" }

    private var clock: String {
        "\(two(secondOfDay / 3_600)):\(two(secondOfDay / 60 % 60)):\(two(secondOfDay % 60))"
    }

    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }

    /// The day that comes so many days after the first of 1970. Years are counted from a first of
    /// March, so that the day that some of them have more is their last.
    private static func date(dayNumber: Int64) -> CalendarDate? {
        let fromMarchOfYearZero = dayNumber + 719_468
        let era = fromMarchOfYearZero / daysInFourCenturies
        let dayOfEra = fromMarchOfYearZero % daysInFourCenturies
        // The last day of a four-year span and of the era has no year of its own.
        let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // From March on the months have 31, 30, 31, 30, 31 days, over and over: 153 in five.
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return CalendarDate(
            year: Int(era * 400 + yearOfEra) + (month < 10 ? 0 : 1),
            month: Int(month < 10 ? month + 3 : month - 9), day: Int(day))
    }
}
