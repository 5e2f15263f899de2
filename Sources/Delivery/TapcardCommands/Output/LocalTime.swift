import Glibc
import TapcardDomain

/// Times as people read them: stored in UTC, shown where they are.
enum LocalTime {
    /// "2026-11-21 14:05:09", local.
    static func text(_ time: Timestamp) -> String {
        let parts = unsafe parts(time, localtime_r)
        return unsafe date(parts) + " " + clock(parts)
    }

    /// "2026-11-21T13:05:09Z".
    static func iso(_ time: Timestamp) -> String {
        let parts = unsafe parts(time, gmtime_r)
        return unsafe date(parts) + "T" + clock(parts) + "Z"
    }

    /// "2026-11-21", in UTC.
    static func date(_ time: Timestamp) -> String { unsafe date(parts(time, gmtime_r)) }

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
