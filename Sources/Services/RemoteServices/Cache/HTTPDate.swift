package import TapcardDomain

/// A date as HTTP writes it: "Sun, 06 Nov 1994 08:49:37 GMT". The two older ways of writing one
/// are read as none, so that what carries them counts as out of date.
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    package static func parsing(_ text: String) -> Timestamp? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count == 29, words.count == 6, words[0].hasSuffix(","), words[5] == "GMT",
            let day = number(words[1], digits: 2),
            let month = months.firstIndex(of: String(words[2])),
            let year = number(words[3], digits: 4),
            let date = CalendarDate(year: year, month: month + 1, day: day)
        else { return nil }
        let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
            .compactMap { number($0, digits: 2) }
        guard clock.count == 3, clock[0] < 24, clock[1] < 60, clock[2] <= 60 else { return nil }
        let seconds = (daysSince1970(date) * 24 + clock[0]) * 3_600 + clock[1] * 60 + clock[2]
        return Timestamp(milliseconds: Int64(seconds) * 1_000)
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        guard text.utf8.count == digits,
            text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        return Int(text)
    }

    /// Years are counted from March, so that the day that not every year has is the last one.
    private static func daysSince1970(_ date: CalendarDate) -> Int {
        let year = date.month > 2 ? date.year : date.year - 1
        let monthsSinceMarch = (date.month + 9) % 12
        let daysBeforeYear = year * 365 + year / 4 - year / 100 + year / 400
        let daysBeforeMonth = (153 * monthsSinceMarch + 2) / 5
        let daysBefore1970 = 719_469
        return daysBeforeYear + daysBeforeMonth + date.day - daysBefore1970
    }
}
