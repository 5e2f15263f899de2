/// What is answered to a request.
public struct WebResponse: Sendable {
    public let status: Int
    public let headers: [WebField]
    public let body: WebBody
    private(set) var kept: KeptAnswer?

    /// The status is one of 200 to 599. Date, Connection and the length are the server's own.
    public init(_ status: Int, headers: [(String, String)] = [], body: WebBody = .bytes([])) {
        self.status = status
        self.headers = headers.map { WebField($0.0, $0.1) }
        self.body = body
    }

    /// Text that is JSON already.
    public static func json(
        _ text: String, status: Int = 200, headers: [(String, String)] = []
    ) -> WebResponse {
        typed("application/json", text, status, headers)
    }

    /// Plain text.
    public static func text(
        _ text: String, status: Int = 200, headers: [(String, String)] = []
    ) -> WebResponse {
        typed("text/plain; charset=utf-8", text, status, headers)
    }

    /// The same answer, made ready once for all who get it. Of a body in memory only: all others
    /// are made while they are sent.
    public func forMany() -> WebResponse {
        guard case .bytes = body else { return self }
        var same = self
        same.kept = KeptAnswer()
        return same
    }

    /// Nobody is going to see it.
    func abandon() {
        if case .stream(let stream) = body, stream.attach({}) { stream.detach() }
    }

    private static func typed(
        _ type: String, _ text: String, _ status: Int, _ headers: [(String, String)]
    ) -> WebResponse {
        WebResponse(
            status, headers: [("Content-Type", type)] + headers, body: .bytes(Array(text.utf8)))
    }
}

/// The body of an answer.
public enum WebBody: Sendable {
    case bytes([UInt8])
    /// Written while it is sent, for server-sent events.
    case stream(WebStream)
    /// Says that `promised` bytes follow, sends fewer, and closes the connection.
    case cutOff([UInt8], promised: Int)
    /// One byte many times, held nowhere in memory; without its length where it is not announced.
    case filler(byte: UInt8, count: Int, announced: Bool = true)

    var isOfUnknownLength: Bool {
        switch self {
        case .stream, .filler(_, _, announced: false): true
        default: false
        }
    }
}
