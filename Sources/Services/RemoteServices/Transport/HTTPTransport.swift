public import ServicePorts

/// Carries one request to a service and its answer back, and repeats nothing.
public protocol HTTPTransport: Sendable {
    func send(
        _ request: HTTPRequest, by limits: HTTPLimits
    ) async throws(ServiceError) -> HTTPAnswer
}

/// What is asked of a service. Its description leaves out what may be secret: codes, passwords and
/// tokens.
public struct HTTPRequest: Hashable, Sendable, CustomStringConvertible {
    /// How it is asked.
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

/// A line of a request's head. What cannot stand in one line cannot be made into one.
public struct HTTPHeader: Hashable, Sendable, CustomStringConvertible {
    public let name: String
    public let value: String

    private static let longestValue = 8_192

    /// The name is a token of ours; the value is printable ASCII, so that it ends no line.
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

/// How long a request may take: to reach the other end, and in all.
public struct HTTPLimits: Hashable, Sendable {
    public let connecting: Duration
    public let whole: Duration

    public init(connecting: Duration, whole: Duration) {
        (self.connecting, self.whole) = (connecting, whole)
    }
}

/// What a service answered, whatever its status.
public struct HTTPAnswer: Hashable, Sendable {
    public let status: Int
    public let head: HTTPHead
    public let body: [UInt8]

    public init(status: Int, head: HTTPHead = HTTPHead(), body: [UInt8] = []) {
        (self.status, self.head, self.body) = (status, head, body)
    }
}
