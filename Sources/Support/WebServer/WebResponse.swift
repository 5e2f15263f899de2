/// The response to a request.
public struct WebResponse: Sendable {
    public let status: Int
    public private(set) var headers: [WebField]
    public let body: WebBody
    /// Whether the client has authenticated. If so, its connection is one of the last to be closed
    /// to make room for others.
    public private(set) var isForKnownClient = false
    private(set) var reusable: ReusableAnswer?

    /// The status must be from 200 to 599. The server adds Date, Connection, and the length.
    public init(_ status: Int, headers: [(String, String)] = [], body: WebBody = .bytes([])) {
        self.status = status
        self.headers = headers.map { WebField($0.0, $0.1) }
        self.body = body
    }

    /// A response with text that is already JSON.
    public static func json(
        _ text: String, status: Int = 200, headers: [(String, String)] = []
    ) -> WebResponse {
        typed("application/json", text, status, headers)
    }

    /// A response with plain text.
    public static func text(
        _ text: String, status: Int = 200, headers: [(String, String)] = []
    ) -> WebResponse {
        typed("text/plain; charset=utf-8", text, status, headers)
    }

    /// This response, prepared once for many requests. If its body is not in memory, the response
    /// is returned unchanged, because such a body is generated as it is sent.
    public func preparedForReuse() -> WebResponse {
        guard case .bytes = body else { return self }
        var same = self
        same.reusable = ReusableAnswer()
        return same
    }

    /// This response, for a client that has authenticated.
    public func forKnownClient() -> WebResponse {
        var same = self
        same.isForKnownClient = true
        return same
    }

    /// Returns a copy of this response with additional headers.
    public func adding(_ headers: [(String, String)]) -> WebResponse {
        var same = self
        same.headers += headers.map { WebField($0.0, $0.1) }
        // The cached bytes do not include the new headers.
        same.reusable = nil
        return same
    }

    /// Discards a response that will not be sent.
    func abandon() {
        // If the server is already sending the stream, attaching fails, and the server detaches the
        // stream when it is done.
        if case .stream(let stream) = body, stream.attach({}) { stream.detach() }
    }

    private static func typed(
        _ type: String, _ text: String, _ status: Int, _ headers: [(String, String)]
    ) -> WebResponse {
        WebResponse(
            status, headers: [("Content-Type", type)] + headers, body: .bytes(Array(text.utf8)))
    }
}

/// The body of a response.
public enum WebBody: Sendable {
    case bytes([UInt8])
    /// Generated as it is sent, for server-sent events.
    case stream(WebStream)
    /// Declares a length of `promised` bytes, sends fewer, and closes the connection.
    case cutOff([UInt8], promised: Int)
    /// One byte, repeated `count` times without being stored in memory. The length is sent in
    /// advance only if `announced` is true.
    case filler(byte: UInt8, count: Int, announced: Bool = true)

    var hasUnknownLength: Bool {
        switch self {
        case .stream, .filler(_, _, announced: false): true
        default: false
        }
    }
}
