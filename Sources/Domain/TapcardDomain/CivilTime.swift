/// A date and time of day in UTC, to the second.
package struct CivilTime: Hashable, Sendable, CustomStringConvertible {
    private static let secondsInDay: Int64 = 86_400

    package let date: CalendarDate
    /// Seconds since midnight.
    private let second: Int

    /// Converts a timestamp; `nil` if its year is not in 1...9999.
    package init?(_ time: Timestamp) {
        let seconds = floorDivision(time.milliseconds, 1_000)
        let days = floorDivision(seconds, CivilTime.secondsInDay)
        guard let date = CalendarDate(daysSince1970: days) else { return nil }
        self.date = date
        second = Int(seconds - days * CivilTime.secondsInDay)
    }

    /// Parses a date and time of exactly 19 characters, such as "2021-04-26 17:26:22".
    package init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let date = CalendarDate(String(parts[0])),
            let second = secondOfDay(parts[1])
        else { return nil }
        self.init(date, second)
    }

    /// Converts a leap second, written as second 60, to the first second of the next minute.
    fileprivate init?(_ date: CalendarDate, _ second: Int) {
        let days = date.daysSince1970 * CivilTime.secondsInDay
        self.init(Timestamp(milliseconds: (days + Int64(second)) * 1_000))
    }

    package var timestamp: Timestamp {
        let seconds = date.daysSince1970 * CivilTime.secondsInDay + Int64(second)
        return Timestamp(milliseconds: seconds * 1_000)
    }

    /// The time of day, such as "17:26:22".
    package var clock: String {
        [second / 3_600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
    }

    /// The date and time, such as "2021-04-26 17:26:22".
    package var description: String { "\(date) \(clock)" }
}

extension CalendarDate {
    // In these calculations, a year begins on March 1, so that a leap day is its last day. Counted
    // from March, the month lengths repeat every five months, or 153 days.

    /// The number of days from March 1 of year 0 to January 1, 1970.
    private static let daysFromMarchOfYearZero: Int64 = 719_468
    /// The number of days in 400 years, 97 of which are leap years.
    private static let daysInFourCenturies: Int64 = 146_097

    /// The date this many days after January 1, 1970; `nil` if its year is not in 1...9999.
    fileprivate init?(daysSince1970 days: Int64) {
        // A number far outside the calendar could cause an overflow below.
        guard abs(days) < 10_000 * 366 else { return nil }
        let day = days + CalendarDate.daysFromMarchOfYearZero
        let era = floorDivision(day, CalendarDate.daysInFourCenturies)
        let dayOfEra = day - era * CalendarDate.daysInFourCenturies
        // A leap day is the last day of a four-year cycle or of the era. Simply dividing by 365
        // would put it in the next year.
        let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // Months are numbered from 0 (March) to 11 (February).
        let month = (5 * dayOfYear + 2) / 153
        self.init(
            year: Int(era * 400 + yearOfEra) + (month < 10 ? 0 : 1),
            month: Int(month < 10 ? month + 3 : month - 9),
            day: Int(dayOfYear - (153 * month + 2) / 5 + 1))
    }

    fileprivate var daysSince1970: Int64 {
        // January and February belong to the year that began the previous March.
        let year = month > 2 ? year : year - 1
        let daysBeforeYear = year * 365 + year / 4 - year / 100 + year / 400
        let daysBeforeMonth = (153 * ((month + 9) % 12) + 2) / 5
        return Int64(daysBeforeYear + daysBeforeMonth + day - 1)
            - CalendarDate.daysFromMarchOfYearZero
    }
}

/// Divides two numbers and rounds down, even if the result is negative.
private func floorDivision(_ number: Int64, _ divisor: Int64) -> Int64 {
    let quotient = number / divisor
    return quotient * divisor > number ? quotient - 1 : quotient
}

/// Parses a time such as "17:26:22" and returns the seconds since midnight.
private func secondOfDay(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let clock = parts.compactMap { number($0, digits: 2) }
    // Second 60 is a leap second.
    guard parts.count == 3, clock.count == 3, clock[0] < 24, clock[1] < 60, clock[2] <= 60 else {
        return nil
    }
    return (clock[0] * 60 + clock[1]) * 60 + clock[2]
}

private func number(_ text: Substring, digits: Int) -> Int? {
    // `Int(_:)` alone would also accept a sign.
    guard text.utf8.count == digits,
        text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
    else { return nil }
    return Int(text)
}

private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
