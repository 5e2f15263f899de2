import Glibc

/// Wakes a thread that is waiting in poll().
final class WakePipe: Sendable {
    let reading: Int32
    private let writing: Int32

    init() throws(EmulatorError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .last("a pipe") }
        (reading, writing) = (ends[0], ends[1])
        for end in ends {
            // Neither end may block: a caller must not wait for the thread, and the thread must not
            // wait for a byte.
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Wakes the thread. Writing to a full pipe fails, but a full pipe wakes the thread anyway.
    func wake() { _ = unsafe write(writing, [UInt8(0)], 1) }

    func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        // Any bytes left over wake the thread once more, which is harmless.
        _ = unsafe read(reading, &bytes, bytes.count)
    }
}
