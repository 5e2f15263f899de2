import Glibc

/// The socket of pcscd, made before pcscd is started, as systemd does, so that a client that
/// connects early waits.
///
/// A pcscd that makes the socket itself names it before it listens, and refuses whoever connects at
/// that moment.
struct PCSCDSocket {
    private static let mostWaiting: Int32 = 16

    private static let startLimitInSeconds = 60

    let listener: Int32
    private let path: String

    init(at path: String) throws {
        self.path = path
        listener = Glibc.socket(AF_UNIX, NetworkRelay.kindOfSocket, 0)
        guard listener >= 0 else { throw PlayFailure("no socket") }
        unsafe unlink(path)
        let descriptor = listener
        guard unsafe PCSCDSocket.with(path, { unsafe bind(descriptor, $0, $1) }),
            listen(listener, PCSCDSocket.mostWaiting) == 0
        else {
            close(listener)
            throw PlayFailure("\(path) cannot be listened at")
        }
    }

    /// Waits until pcscd serves a client, once it alone holds the listener; false if it ended
    /// instead or takes longer than any machine does.
    func isServed() -> Bool {
        let client = Glibc.socket(AF_UNIX, NetworkRelay.kindOfSocket, 0)
        guard client >= 0 else { return false }
        defer { close(client) }
        guard unsafe PCSCDSocket.with(path, { unsafe connect(client, $0, $1) }) else {
            return false
        }
        var limit = timeval(tv_sec: PCSCDSocket.startLimitInSeconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        // A client that has nothing to say is let go by pcscd, and reset where pcscd ends.
        shutdown(client, Int32(SHUT_WR))
        var byte: UInt8 = 0
        return unsafe recv(client, &byte, 1, 0) == 0
    }

    private static func with(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        // A zero ends the name.
        guard name.count < room else { return false }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe body(address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
