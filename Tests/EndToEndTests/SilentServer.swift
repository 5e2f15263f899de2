import Glibc
import TestSupport

/// Takes connections and never answers.
final class SilentServer {
    let port: UInt16
    private let listener: Int32

    init() throws {
        (listener, port) = try Loopback.listen(backlog: 8)
    }

    deinit { close(listener) }
}
