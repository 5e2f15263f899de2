import Glibc

/// The clocks of this machine.
public enum SystemClock {
    /// The wall-clock time, which an administrator of the machine can change.
    public static var millisecondsSince1970: Int64 {
        let time = reading(CLOCK_REALTIME)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The monotonic time, counted from some point before this program started.
    public static var uptimeNanoseconds: UInt64 {
        let time = reading(CLOCK_MONOTONIC)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The monotonic time in milliseconds.
    public static var uptimeMilliseconds: UInt64 { uptimeNanoseconds / 1_000_000 }

    /// The time since this machine started, including sleep. It cannot be set.
    public static var millisecondsSinceBoot: Int64 {
        // Unlike CLOCK_MONOTONIC, this clock also counts the time that the machine was asleep.
        let time = reading(CLOCK_BOOTTIME)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Identifies this boot of the machine, if the system provides an identifier.
    public static let bootID: String? = {
        guard let file = unsafe fopen("/proc/sys/kernel/random/boot_id", "r") else { return nil }
        defer { unsafe fclose(file) }
        // The identifier is a UUID of 36 characters.
        var bytes = [UInt8](repeating: 0, count: 36)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return count == bytes.count ? String(decoding: bytes, as: UTF8.self) : nil
    }()

    private static func reading(_ clock: clockid_t) -> timespec {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time
    }
}
