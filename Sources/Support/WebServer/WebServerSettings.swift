/// The address of a server, and its limits.
public struct WebServerSettings: Sendable {
    /// A certificate with its chain, and its key, both as PEM.
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
    /// The port; zero for any free one.
    public var port: UInt16 = 0
    /// The most bytes in a body; a longer one is refused with 413.
    public var bodyBytes = 1 << 20
    /// The most bytes in all bodies together; beyond it they are refused with 503. One body is
    /// always accepted while no other is held.
    public var allBodiesBytes = 16 << 20
    /// The most bytes in a request line with its headers; longer ones are refused with 431 or 414.
    public var headerBytes = 16 << 10
    /// The most connections at a time, or fewer if the limit of open files is lower than this and
    /// the reserve. Further clients wait until a connection closes; for them connections without a
    /// complete request are closed, first at the address that has the most.
    public var connections = 256
    /// The open files reserved for the rest of the process, in addition to the connections.
    public var reservedDescriptors = 64
    /// The seconds after which an inactive connection is closed; zero means never.
    public var idleSeconds = 30
    /// The seconds for a request's first line and headers, even if bytes keep arriving: from the
    /// opening for a connection's first request, and after the idle time for a later one.
    public var headSeconds = 10
    /// The seconds for a body to arrive, or an answer to be taken, even if bytes keep moving.
    /// Streams have no limit.
    public var transferSeconds = 120
    public var tls: TLS?
    /// The headers added to every answer.
    public var headers: [WebField] = []
    /// The answer to a request that does not reach the handler: from a status and a reason.
    public var refusal: @Sendable (_ status: Int, _ why: String) -> WebResponse = {
        .text($1 + "\n", status: $0)
    }

    public init() {}
}
