import CLinux
import Glibc

/// Sends bytes to a device on the network, such as a receipt printer, over a TCP connection of its
/// own.
package enum TCPDelivery {
    /// Why the delivery failed. Each case comes with a reason to show to a user.
    package enum Failure: Error, Sendable, Hashable {
        /// No connection was established, so the device has received nothing.
        case notConnected(String)
        /// The connection failed after it was established, so the device may have received some or
        /// all of the bytes.
        case cutOff(String)
    }

    /// The default time limit for sending, in milliseconds.
    private static let sendingLimit = 10_000
    /// How long to wait for the device to close the connection, in milliseconds.
    private static let closingLimit = 500

    /// Connects to a device, sends it the bytes, and waits until it has received them all. Blocks
    /// the calling thread. The device may still fail to process what it has received.
    ///
    /// The time limits are in milliseconds. The limit for connecting covers all of the host's
    /// addresses together; looking up the host's name counts toward it, but is not cut short. The
    /// limit for sending counts from when the connection was established.
    package static func send(
        _ bytes: [UInt8], to host: String, port: UInt16, connectingWithin limit: Int = 3_000,
        sendingWithin sendingLimit: Int = sendingLimit
    ) throws(Failure) {
        let connection = try Connection(to: host, port, until: now + limit)
        let end = now + sendingLimit
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(
                    connection.socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if count > 0 { rest = rest.dropFirst(count) }
            guard count < 0 else { continue }
            guard errno == EAGAIN || errno == EINTR else { throw .cutOff(words(errno)) }
            guard connection.wait(for: POLLOUT, until: end) else { throw .cutOff(tooSlow) }
        }
        // The system still holds bytes that the device has not received.
        while linux_unreceived(connection.socket) > 0 {
            guard now < end else { throw .cutOff(tooSlow) }
            usleep(10_000)
        }
        shutdown(connection.socket, CInt(SHUT_WR))
        let closed = now + closingLimit
        var answer = [UInt8](repeating: 0, count: 64)
        // A device may report its state. One that closes the connection before it has read
        // everything resets it.
        while connection.wait(for: POLLIN, until: closed) {
            let count = unsafe recv(connection.socket, &answer, answer.count, 0)
            if count == 0 { return }
            guard count > 0 || errno == EINTR else { throw .cutOff(words(errno)) }
        }
    }

    private static let tooSlow = "it stopped receiving"

    /// The monotonic time in milliseconds.
    private static var now: Int { Int(SystemClock.uptimeMilliseconds) }

    /// The system's message for an error number, in lower case.
    private static func words(_ number: CInt) -> String {
        unsafe String(cString: strerror(number)).lowercased()
    }

    /// A connected, nonblocking socket. It is closed when the value goes out of scope.
    private struct Connection: ~Copyable {
        let socket: CInt

        deinit { close(socket) }

        private init(_ socket: CInt) { self.socket = socket }

        /// Connects to the first of the host's addresses that accepts the connection. Gives up at
        /// the time `end`.
        init(to host: String, _ port: UInt16, until end: Int) throws(Failure) {
            var hints = unsafe addrinfo()
            unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
            var found: UnsafeMutablePointer<addrinfo>?
            let status = unsafe getaddrinfo(host, String(port), &hints, &found)
            guard status == 0 else {
                throw .notConnected(unsafe String(cString: gai_strerror(status)).lowercased())
            }
            defer { unsafe freeaddrinfo(found) }
            var problem = "no address"
            while let address = unsafe found.flatMap({ unsafe $0.pointee }) {
                let type =
                    unsafe address.ai_socktype
                    | CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
                let socket = unsafe Glibc.socket(address.ai_family, type, address.ai_protocol)
                if socket >= 0 {
                    let connection = Connection(socket)
                    let isBegun =
                        unsafe connect(socket, address.ai_addr, address.ai_addrlen) == 0
                        || errno == EINPROGRESS
                    let isReady = isBegun && connection.wait(for: POLLOUT, until: end)
                    let number = isBegun ? isReady ? connection.error : ETIMEDOUT : errno
                    if number == 0 {
                        self = connection
                        return
                    }
                    problem = words(number)
                }
                unsafe found = address.ai_next
            }
            throw .notConnected(problem)
        }

        /// The error that is pending on the socket; 0 if there is none.
        private var error: CInt {
            var number: CInt = 0
            var size = socklen_t(MemoryLayout<CInt>.size)
            let isKnown = unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &number, &size) == 0
            return isKnown ? number : errno
        }

        /// Waits until the socket is ready or has failed. Returns false if neither happens by the
        /// time `end`.
        func wait(for what: CInt, until end: Int) -> Bool {
            while true {
                var entry = pollfd(fd: socket, events: Int16(what), revents: 0)
                let count = unsafe poll(&entry, 1, CInt(max(0, end - now)))
                if count > 0 { return true }
                if count == 0 || errno != EINTR { return false }
            }
        }
    }
}
