/// Where a server listens, and its limits.
public struct WebServerSettings: Sendable {
    /// A certificate, with the chain behind it, and its key, both as PEM.
    public struct TLS: Sendable {
        public let certificatePEM: String
        public let keyPEM: String

        public init(certificatePEM: String, keyPEM: String) {
            self.certificatePEM = certificatePEM
            self.keyPEM = keyPEM
        }
    }

    /// An IPv4 address in digits.
    public var address = "127.0.0.1"
    /// Zero is any port that is free.
    public var port: UInt16 = 0
    /// A longer body is refused with 413.
    public var bodyBytes = 1 << 20
    /// What all bodies together may take that are held at a time; beyond it they are refused with
    /// 503. One body always finds room where no other is held.
    public var allBodiesBytes = 16 << 20
    /// A longer request line with its headers is refused with 431 or 414.
    public var headerBytes = 16 << 10
    /// The most connections at a time; fewer where the limit of open files is lower than they and what
    /// is reserved. Further clients wait until one of these has gone. For those that wait the
    /// connections go that have been without a whole request for longest.
    public var connections = 256
    /// How many files the rest of the process may have open beside the connections.
    public var reservedDescriptors = 64
    /// A connection on which nothing moves for so long is closed; zero is never.
    public var idleSeconds = 30
    /// A request's first line and headers have to arrive within so long, slow as they may move: of
    /// a connection's first request after it was opened, of a later one after the idle time.
    public var headSeconds = 10
    /// A body has to arrive, and an answer to be taken, within so long, slow as it may move.
    /// Streams may take for ever.
    public var transferSeconds = 120
    public var tls: TLS?
    /// What is said with every answer beside its own headers.
    public var headers: [WebField] = []
    /// How it is said that a request is none that reaches the handler: a status, and why.
    public var refusal: @Sendable (_ status: Int, _ why: String) -> WebResponse = {
        .text($1 + "\n", status: $0)
    }

    public init() {}
}
