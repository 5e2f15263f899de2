import Foundation
import Glibc

extension Loopback {
    /// A port without a listener.
    package static func deadPort() throws -> UInt16 {
        let (socket, port) = try listen(backlog: 1)
        close(socket)
        return port
    }

    /// A port whose queue of connections is full as long as the sockets are open.
    package static func fullPort() throws -> (port: UInt16, sockets: [Int32]) {
        let (listener, port) = try listen(backlog: 0)
        var sockets = [listener]
        for _ in 0..<4 {
            let filler = Glibc.socket(
                AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            connect(filler, to: port)
            sockets.append(filler)
        }
        return (port, sockets)
    }

    /// The sockets of this process that are connected to the port.
    ///
    /// It lists the open descriptors, because a limit on their numbers would miss this one while
    /// other tests of the process hold thousands of sockets.
    package static func connections(to port: UInt16) throws -> [Int32] {
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return open.compactMap { Int32($0) }.filter { number in
            var place = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isConnected = unsafe withUnsafeMutablePointer(to: &place) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe getpeername(number, $0, &size) == 0
                }
            }
            return isConnected && place.sin_port == port.bigEndian
        }
    }

    package static func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Head and body of the next request, or nil if the other end has closed.
    package static func request(_ connection: Int32) -> (head: String, body: String)? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)) {
            guard let byte = byte(connection) else { return nil }
            head.append(byte)
        }
        let text = String(decoding: head.dropLast(4), as: UTF8.self)
        let length =
            text.lowercased().split(separator: "\r\n")
            .first { $0.hasPrefix("content-length: ") }
            .flatMap { Int($0.dropFirst("content-length: ".count)) } ?? 0
        var body: [UInt8] = []
        while body.count < length {
            guard let byte = byte(connection) else { return nil }
            body.append(byte)
        }
        return (text, String(decoding: body, as: UTF8.self))
    }

    private static func byte(_ connection: Int32) -> UInt8? {
        var byte: UInt8 = 0
        return unsafe recv(connection, &byte, 1, 0) == 1 ? byte : nil
    }
}
