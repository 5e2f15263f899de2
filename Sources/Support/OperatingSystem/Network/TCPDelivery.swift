import CLinux
import Glibc

/// Sends bytes to a device that only receives, such as a printer, on a connection of their own.
package enum TCPDelivery {
    package enum Failure: Error, Sendable, Hashable {
        /// There was no connection, so nothing was sent.
        case notConnected(String)
        /// The device ended the connection or stopped receiving, so some bytes may be missing.
        case cutOff(String)
    }

    /// How long the device has to receive everything.
    private static let sendingLimit = 10_000
    /// How long the connection is watched for a reset after everything was received.
    private static let closingLimit = 500

    /// Returns when the device has received everything. Blocks its thread.
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

    private static var now: Int { Int(SystemClock.uptimeMilliseconds) }

    private static func words(_ number: CInt) -> String {
        unsafe String(cString: strerror(number)).lowercased()
    }

    /// A connection, closed when it goes out of scope and not inherited by child processes.
    private struct Connection: ~Copyable {
        let socket: CInt

        deinit { close(socket) }

        private init(_ socket: CInt) { self.socket = socket }

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

        private var error: CInt {
            var number: CInt = 0
            var size = socklen_t(MemoryLayout<CInt>.size)
            let isKnown = unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &number, &size) == 0
            return isKnown ? number : errno
        }

        /// Waits until the connection is ready or has failed; false at the end of the time.
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
