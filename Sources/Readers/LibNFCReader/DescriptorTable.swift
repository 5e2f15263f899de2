import Glibc

/// This process's file descriptor numbers.
enum DescriptorTable {
    /// Descriptors below this number are safe. libnfc waits with `select`, whose sets have only
    /// 1024 entries: with a higher number, it writes past the end of a set. A reader needs three
    /// descriptors, and each abort briefly needs two more.
    private static let limit: Int32 = 1024 - 64

    /// Whether the next descriptors are low enough for libnfc.
    static var hasRoomForReader: Bool {
        // The system always assigns the lowest free number.
        let next = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard next >= 0 else { return false }
        close(next)
        return next < limit
    }
}
