import Glibc

/// The numbers of this process's open files.
enum DescriptorTable {
    /// libnfc waits with `select`, whose sets end at 1024: a higher number makes it write past
    /// their end. A reader needs three, and every abort two more for a moment.
    private static let highest: Int32 = 1024 - 64

    /// Whether the numbers that come next are low enough for libnfc.
    static var hasRoomForReader: Bool {
        let next = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard next >= 0 else { return false }
        close(next)
        return next < highest
    }
}
