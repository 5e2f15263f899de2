/// A server of HTTP/1.1 on one thread of its own.
public final class WebServer: Sendable {
    public let port: UInt16

    private init(port: UInt16) {
        self.port = port
    }

    /// Begins to listen. The handler is called once a request, on the tasks' own threads, and goes
    /// on to its end when its client leaves.
    public static func start(
        _ settings: WebServerSettings = WebServerSettings(),
        handler: @escaping @Sendable (WebRequest) async -> WebResponse
    ) throws(WebServerError) -> WebServer {
        throw WebServerError(.noResources, "There is no server yet.")
    }

    /// Takes no new requests, ends streams, and lets running requests come to their end, but no
    /// longer than this. Returns when all is down.
    public func stop(within limit: Duration) async {}
}
