import BlockingLane
import Glibc

/// Sockets on this machine only.
package enum Loopback {
    package struct Failure: Error { let number: Int32 }

    /// A socket for a connection.
    package static func socket() -> Int32 {
        Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    /// A socket that listens on a free port.
    package static func listen(backlog: Int32) throws -> (socket: Int32, port: UInt16) {
        let listener = socket()
        var place = address(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                unsafe bind(listener, place, size) == 0
                    && Glibc.listen(listener, backlog) == 0
                    && getsockname(listener, place, &size) == 0
            }
        }
        guard isBound else { throw Failure(number: errno) }
        return (listener, UInt16(bigEndian: place.sin_port))
    }

    /// A port for a program that does not accept port 0. Outgoing connections use only ports from
    /// 32768 up, and this process uses each port only once.
    package static func portForProgram() throws -> UInt16 {
        while true {
            let port = UInt16.random(in: 20_000..<32_768)
            guard taken.withLock({ $0.insert(port).inserted }) else { continue }
            let listener = socket()
            defer { close(listener) }
            if isBound(listener, to: port) { return port }
        }
    }

    private static let taken = Guarded<Set<UInt16>>([])

    private static func isBound(_ socket: Int32, to port: UInt16) -> Bool {
        var place = address(port: port)
        return unsafe withUnsafePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Connects the socket to the port; returns whether that worked.
    @discardableResult
    package static func connect(_ socket: Int32, to port: UInt16) -> Bool {
        var place = address(port: port)
        return unsafe withUnsafePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return place
    }
}
