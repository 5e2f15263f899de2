import Glibc

/// A socket that accepts connections. The server opens it itself rather than let libmicrohttpd do
/// so, so that errors can be reported precisely.
struct ListeningSocket: ~Copyable {
    let descriptor: CInt

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Transfers the descriptor to the caller, who must close it.
    consuming func transferOwnership() -> CInt {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    static func open(_ settings: WebServerSettings) throws(WebServerError) -> ListeningSocket {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = settings.port.bigEndian
        guard unsafe inet_pton(AF_INET, settings.address, &address.sin_addr) == 1 else {
            throw WebServerError(
                .cannotListen, "\(settings.address) is not a numeric IPv4 address.")
        }
        // Child processes must not inherit the socket.
        let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw .noResources("a socket", errno) }
        let opened = ListeningSocket(descriptor)
        var yes: CInt = 1
        // If this fails, a port that was in use a minute ago counts as taken, and bind will report
        // that.
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        let isBound = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe bytes.withMemoryRebound(to: sockaddr.self) {
                unsafe bind(descriptor, $0.baseAddress, socklen_t(bytes.count)) == 0
            }
        }
        guard isBound, listen(descriptor, SOMAXCONN) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw WebServerError(
                .cannotListen,
                "Cannot listen at \(settings.address), port \(settings.port): \(reason).")
        }
        return opened
    }

    /// A duplicate of the socket for another owner. Both descriptors share the queue of waiting
    /// connections.
    static func duplicate(_ descriptor: CInt) throws(WebServerError) -> ListeningSocket {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .noResources("a file descriptor", errno) }
        return ListeningSocket(copy)
    }

    /// The address of the client at the other end, in numeric form. Empty if it is not known.
    static func client(of socket: CInt) -> String {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe bytes.withMemoryRebound(to: sockaddr.self) {
                unsafe getpeername(socket, $0.baseAddress, &size) == 0
            }
        }
        // The listening socket is for IPv4, so no client has an address of another family.
        guard isKnown, address.sin_family == sa_family_t(AF_INET) else { return "" }
        let number = UInt32(bigEndian: address.sin_addr.s_addr)
        return [24, 16, 8, 0].map { String(number >> $0 & 0xFF) }.joined(separator: ".")
    }

    /// The port, chosen by the system if none was given.
    var port: UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe bytes.withMemoryRebound(to: sockaddr.self) {
                unsafe getsockname(descriptor, $0.baseAddress, &size) == 0
            }
        }
        // The port is stored in network byte order.
        return isKnown ? UInt16(bigEndian: address.sin_port) : 0
    }
}
