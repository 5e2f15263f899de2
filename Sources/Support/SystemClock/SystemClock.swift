import Glibc

/// The clocks of this machine.
public enum SystemClock {
    /// The time of day, which may be set.
    public static var millisecondsSince1970: Int64 {
        let time = reading(CLOCK_REALTIME)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// A time that only goes on, from some moment before this program.
    public static var uptimeNanoseconds: UInt64 {
        let time = reading(CLOCK_MONOTONIC)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The same time.
    public static var uptimeMilliseconds: UInt64 { uptimeNanoseconds / 1_000_000 }

    private static func reading(_ clock: clockid_t) -> timespec {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time
    }
}
