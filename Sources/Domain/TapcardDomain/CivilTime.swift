/// A UTC date and time of day, to the second.
package struct CivilTime: Hashable, Sendable, CustomStringConvertible {
    private static let secondsInDay: Int64 = 86_400

    package let date: CalendarDate
    /// Seconds since midnight.
    private let second: Int

    /// `nil` for a time outside the calendar.
    package init?(_ time: Timestamp) {
        let seconds = floored(time.milliseconds, 1_000)
        let days = floored(seconds, CivilTime.secondsInDay)
        guard let date = CalendarDate(daysSince1970: days) else { return nil }
        self.date = date
        second = Int(seconds - days * CivilTime.secondsInDay)
    }

    /// Accepts exactly 19 characters, "2021-04-26 17:26:22".
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let date = CalendarDate(String(words[0])),
            let second = secondOfDay(words[1])
        else { return nil }
        self.init(date, second)
    }

    /// A leap second, number 60, counts as the second that follows it.
    fileprivate init?(_ date: CalendarDate, _ second: Int) {
        let days = date.daysSince1970 * CivilTime.secondsInDay
        self.init(Timestamp(milliseconds: (days + Int64(second)) * 1_000))
    }

    package var timestamp: Timestamp {
        let seconds = date.daysSince1970 * CivilTime.secondsInDay + Int64(second)
        return Timestamp(milliseconds: seconds * 1_000)
    }

    /// "17:26:22".
    package var clock: String {
        [second / 3_600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
    }

    /// "2021-04-26 17:26:22".
    package var description: String { "\(date) \(clock)" }
}

extension CalendarDate {
    // Years are counted from March 1, so that a leap day is the last day of its year. From March
    // on, the lengths of the months repeat every five months, which have 153 days. The number is
    // the days from March 1 of the year 0 to January 1, 1970; below, 400 years have 97 leap days.
    private static let daysFromMarchOfYearZero: Int64 = 719_468
    private static let daysInFourCenturies: Int64 = 146_097

    /// The date this many days after 1970-01-01; `nil` outside the calendar.
    fileprivate init?(daysSince1970 days: Int64) {
        // A number beyond all calendar years could overflow below.
        guard abs(days) < 10_000 * 366 else { return nil }
        let day = days + CalendarDate.daysFromMarchOfYearZero
        let era = floored(day, CalendarDate.daysInFourCenturies)
        let dayOfEra = day - era * CalendarDate.daysInFourCenturies
        // The leap day ends a four-year span, or the era; a plain division would count it as part
        // of the next year.
        let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // Months from March on, 0 to 11, based on five months having 153 days.
        let month = (5 * dayOfYear + 2) / 153
        self.init(
            year: Int(era * 400 + yearOfEra) + (month < 10 ? 0 : 1),
            month: Int(month < 10 ? month + 3 : month - 9),
            day: Int(dayOfYear - (153 * month + 2) / 5 + 1))
    }

    fileprivate var daysSince1970: Int64 {
        // January and February belong to the year that began in March.
        let year = month > 2 ? year : year - 1
        let daysBeforeYear = year * 365 + year / 4 - year / 100 + year / 400
        let daysBeforeMonth = (153 * ((month + 9) % 12) + 2) / 5
        return Int64(daysBeforeYear + daysBeforeMonth + day - 1)
            - CalendarDate.daysFromMarchOfYearZero
    }
}

/// Division that also rounds down for negative numbers.
private func floored(_ number: Int64, _ divisor: Int64) -> Int64 {
    let quotient = number / divisor
    return quotient * divisor > number ? quotient - 1 : quotient
}

/// Reads "17:26:22" as seconds since midnight.
private func secondOfDay(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let clock = parts.compactMap { number($0, digits: 2) }
    guard parts.count == 3, clock.count == 3, clock[0] < 24, clock[1] < 60, clock[2] <= 60 else {
        return nil
    }
    return (clock[0] * 60 + clock[1]) * 60 + clock[2]
}

private func number(_ text: Substring, digits: Int) -> Int? {
    guard text.utf8.count == digits,
        text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
    else { return nil }
    return Int(text)
}

private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
