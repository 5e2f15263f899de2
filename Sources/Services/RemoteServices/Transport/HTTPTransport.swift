public import ServicePorts

/// Sends one request to a service and returns its answer, without retries.
public protocol HTTPTransport: Sendable {
    func send(
        _ request: HTTPRequest, by limits: HTTPLimits
    ) async throws(ServiceError) -> HTTPAnswer
}

/// A request to a service. Its description leaves out possible secrets: codes, passwords and
/// tokens.
public struct HTTPRequest: Hashable, Sendable, CustomStringConvertible {
    /// The method of a request.
    public enum Method: Hashable, Sendable {
        /// May be repeated: it changes nothing.
        case get
        /// Must never be sent twice.
        case post(body: [UInt8])
    }

    public let method: Method
    public let url: String
    public let headers: [HTTPHeader]

    public init(_ method: Method, _ url: String, headers: [HTTPHeader] = []) {
        (self.method, self.url, self.headers) = (method, url, headers)
    }

    public var description: String {
        "\(method == .get ? "GET" : "POST") \(Shown.place(url))"
    }
}

/// A header of a request. A value that does not fit on one line is refused.
public struct HTTPHeader: Hashable, Sendable, CustomStringConvertible {
    public let name: String
    public let value: String

    private static let longestValue = 8_192

    /// Nil unless the name is a token and the value is printable ASCII, so that it ends no line.
    public init?(_ name: String, _ value: String) {
        let isName = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || [UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
        }
        guard !name.isEmpty, isName, !value.isEmpty,
            value.utf8.count <= HTTPHeader.longestValue,
            value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
            value.utf8.first != 0x20, value.utf8.last != 0x20
        else { return nil }
        (self.name, self.value) = (name, value)
    }

    public var description: String { name }
}

/// The time limits of a request: for the connection, and in all.
public struct HTTPLimits: Hashable, Sendable {
    public let connecting: Duration
    public let whole: Duration

    public init(connecting: Duration, whole: Duration) {
        (self.connecting, self.whole) = (connecting, whole)
    }
}

/// The answer of a service, with any status.
public struct HTTPAnswer: Hashable, Sendable {
    public let status: Int
    public let head: HTTPHead
    public let body: [UInt8]

    public init(status: Int, head: HTTPHead = HTTPHead(), body: [UInt8] = []) {
        (self.status, self.head, self.body) = (status, head, body)
    }
}
