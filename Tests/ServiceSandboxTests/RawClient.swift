import Dispatch
import Glibc

/// What came on the line to one request.
struct RawAnswer: Sendable {
    let status: Int
    /// Names in lower case.
    let headers: [String: String]
    /// The beginning of what came behind the headers.
    let body: String
    /// How many bytes came behind the headers.
    let bodyBytes: Int

    /// What the headers promise; nil where they promise nothing.
    var promisedBytes: Int? { headers["content-length"].flatMap { Int($0) } }
}

/// A client that writes a request, reads until the other end closes, and understands as little as
/// possible.
enum RawClient {
    struct Failure: Error {
        let what: String
        let number: Int32
    }

    private static let keptBytes = 1 << 16
    private static let secondsLimit = 60

    /// On a thread of its own: the sandbox needs those of the tasks to answer.
    static func ask(
        _ method: String, _ path: String, _ headers: [String: String] = [:], body: String = "",
        at port: UInt16
    ) async throws -> RawAnswer {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "raw client").async {
                continuation.resume(
                    with: Result { try exchange(method, path, headers, body, port) })
            }
        }
    }

    private static func exchange(
        _ method: String, _ path: String, _ headers: [String: String], _ body: String,
        _ port: UInt16
    ) throws -> RawAnswer {
        let line = try connected(port)
        defer { close(line) }
        var request = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        request += "Connection: close\r\n"
        if method != "GET" { request += "Content-Length: \(body.utf8.count)\r\n" }
        for (name, value) in headers { request += "\(name): \(value)\r\n" }
        let bytes = Array("\(request)\r\n\(body)".utf8)
        guard unsafe send(line, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        else { throw Failure(what: "send", number: errno) }
        return try answer(on: line)
    }

    private static func connected(_ port: UInt16) throws -> Int32 {
        let line = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard line >= 0 else { throw Failure(what: "socket", number: errno) }
        var limit = timeval(tv_sec: secondsLimit, tv_usec: 0)
        unsafe setsockopt(
            line, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe connect(line, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let number = errno
            close(line)
            throw Failure(what: "connect", number: number)
        }
        return line
    }

    private static func answer(on line: Int32) throws -> RawAnswer {
        var kept: [UInt8] = []
        var total = 0
        var buffer = [UInt8](repeating: 0, count: keptBytes)
        while true {
            let count = unsafe recv(line, &buffer, buffer.count, 0)
            guard count >= 0 else { throw Failure(what: "recv", number: errno) }
            if count == 0 { break }
            total += count
            kept += buffer.prefix(min(count, keptBytes - kept.count))
        }
        let end = Array("\r\n\r\n".utf8)
        guard let split = kept.indices.first(where: { kept[$0...].starts(with: end) }) else {
            throw Failure(what: "an answer of \(total) bytes without an end of headers", number: 0)
        }
        let rest = String(decoding: kept[(split + end.count)...], as: UTF8.self)
        let lines = String(decoding: kept[..<split], as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { throw Failure(what: "no status", number: 0) }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { throw Failure(what: "header \(line)", number: 0) }
            headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        return RawAnswer(
            status: status, headers: headers, body: rest, bodyBytes: total - split - end.count)
    }
}
