/// The address of a server, and its limits.
public struct WebServerSettings: Sendable {
    /// A certificate with its chain, and its key, both in PEM format.
    public struct TLS: Sendable {
        public let certificatePEM: String
        public let keyPEM: String

        public init(certificatePEM: String, keyPEM: String) {
            self.certificatePEM = certificatePEM
            self.keyPEM = keyPEM
        }
    }

    /// An IPv4 address in numeric form.
    public var address = "127.0.0.1"
    /// The port; zero for any free port.
    public var port: UInt16 = 0
    /// The maximum number of bytes in a body; a longer one is refused with 413.
    public var bodyBytes = 1 << 20
    /// The maximum number of bytes in all bodies together; beyond that, bodies are refused with
    /// 503. A single body is always accepted while no other is held.
    public var allBodiesBytes = 16 << 20
    /// The maximum number of bytes in a request line with its headers; longer ones are refused with
    /// 431 or 414.
    public var headerBytes = 16 << 10
    /// The maximum number of simultaneous connections, or fewer if the limit on open files is lower
    /// than this plus the reserve. Further clients wait until a connection closes; to make room for
    /// them, connections without a complete request are closed, starting with those from the
    /// address that has the most.
    public var connections = 256
    /// The number of open files reserved for the rest of the process, in addition to the
    /// connections.
    public var reservedDescriptors = 64
    /// The number of seconds after which an inactive connection is closed; zero means never.
    public var idleSeconds = 30
    /// The maximum number of seconds for a request's first line and headers to arrive, even if
    /// bytes keep coming. The time for a connection's first request starts when the connection is
    /// opened; for a later one, it starts after the idle time.
    public var headSeconds = 10
    /// The maximum number of seconds for a body to arrive, or for the client to receive a response,
    /// even if bytes keep moving. Streams have no limit.
    public var transferSeconds = 120
    public var tls: TLS?
    /// Headers that are added to every response.
    public var headers: [WebField] = []
    /// Creates the response to a request that never reaches the handler, from a status and a
    /// reason.
    public var refusal: @Sendable (_ status: Int, _ reason: String) -> WebResponse = {
        .text($1 + "\n", status: $0)
    }

    public init() {}
}
