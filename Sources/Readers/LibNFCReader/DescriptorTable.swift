import Glibc

/// The file descriptor numbers of this process.
enum DescriptorTable {
    /// Descriptors below this are safe. libnfc waits with `select`, whose sets end at 1024: a
    /// higher number makes it write past the end. A reader needs three, and every abort briefly
    /// needs two more.
    private static let highest: Int32 = 1024 - 64

    /// Whether the next descriptors are low enough for libnfc.
    static var hasRoomForReader: Bool {
        let next = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard next >= 0 else { return false }
        close(next)
        return next < highest
    }
}
