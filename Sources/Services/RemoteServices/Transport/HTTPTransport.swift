package import TapcardDomain

/// Sends requests to a service and returns its responses, without retries.
package protocol HTTPTransport: Sendable {
    func send(
        _ request: HTTPRequest, by limits: HTTPLimits
    ) async throws(ServiceError) -> HTTPAnswer
}

/// Sends requests whose responses can be endless streams.
package protocol HTTPStreaming: HTTPTransport {
    /// Returns the response once it has ended. Passes the body of a stream of server-sent events to
    /// `take` in parts, as they arrive, instead of storing it in the response. `silence` is the
    /// maximum time between two parts; the whole response has no time limit.
    func stream(
        _ request: HTTPRequest, connecting: Duration, silence: Duration,
        _ take: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(ServiceError) -> HTTPAnswer
}

/// A request to a service. Its description omits everything that may be secret: codes, passwords,
/// and tokens.
package struct HTTPRequest: Hashable, Sendable, CustomStringConvertible {
    /// The method of a request.
    package enum Method: Hashable, Sendable {
        /// A request that is harmless to repeat.
        case get
        /// A request that must never be sent twice, because it may take effect each time.
        case post(body: [UInt8])
        /// A binary message that may safely be sent twice. libcurl repeats it if a reused
        /// connection turns out to be dead.
        case message(body: [UInt8])
        /// A request that must never be sent twice, and has no body.
        case delete

        var name: String {
            switch self {
            case .get: "GET"
            case .post, .message: "POST"
            case .delete: "DELETE"
            }
        }
    }

    package let method: Method
    package let url: String
    package let headers: [HTTPHeader]
    /// Whether to ignore the body of the response. If so, the response is complete after its
    /// headers.
    package let ignoresBody: Bool
    /// The maximum size of the response's body, in bytes. The body is held in memory.
    package let bodyLimit: Int

    package init(
        _ method: Method, _ url: String, headers: [HTTPHeader] = [], ignoresBody: Bool = false,
        bodyLimit: Int = AnswerSink.maximumBodySize
    ) {
        (self.method, self.url, self.headers) = (method, url, headers)
        (self.ignoresBody, self.bodyLimit) = (ignoresBody, bodyLimit)
    }

    package var description: String { "\(method.name) \(Shown.place(url))" }
}

/// A header in a request.
package struct HTTPHeader: Hashable, Sendable, CustomStringConvertible {
    package let name: String
    package let value: String

    private static let maximumValueLength = 8_192

    /// Creates a header; `nil` if its name or value is invalid. The name may contain letters,
    /// hyphens, and underscores. The value may contain only printable ASCII, so it cannot end the
    /// line.
    package init?(_ name: String, _ value: String) {
        // Setting bit 0x20 converts an upper-case letter to lower case.
        let isName = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || [UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
        }
        guard !name.isEmpty, isName, !value.isEmpty,
            value.utf8.count <= HTTPHeader.maximumValueLength,
            value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
            // A server would strip leading and trailing spaces, and receive a different value.
            value.utf8.first != 0x20, value.utf8.last != 0x20
        else { return nil }
        (self.name, self.value) = (name, value)
    }

    package var description: String { name }
}

/// The time limits for a request: one for connecting, and one for the whole request.
package struct HTTPLimits: Hashable, Sendable {
    package let connecting: Duration
    package let whole: Duration

    package init(connecting: Duration, whole: Duration) {
        (self.connecting, self.whole) = (connecting, whole)
    }
}

/// A service's response, with any status.
package struct HTTPAnswer: Hashable, Sendable {
    package let status: Int
    package let head: HTTPHead
    package let body: [UInt8]

    package init(status: Int, head: HTTPHead = HTTPHead(), body: [UInt8] = []) {
        (self.status, self.head, self.body) = (status, head, body)
    }
}
