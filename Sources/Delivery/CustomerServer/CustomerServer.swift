import BlockingLane
import Tags
package import WebServer

/// The server for the customer page. It listens separately from the till server.
package final class CustomerServer: Sendable {
    /// Where the server listens.
    package struct Place: Sendable {
        /// The numeric IPv4 address.
        package var address: String
        /// The port. If it is zero, the system chooses a free port.
        package var port: UInt16
        /// The host names that browsers use for this server.
        package var names: [String]
        package var tls: WebServerSettings.TLS?

        package init(
            address: String, port: UInt16, names: [String], tls: WebServerSettings.TLS? = nil
        ) {
            (self.address, self.port) = (address, port)
            (self.names, self.tls) = (names, tls)
        }

        /// Whether only programs on this machine can connect.
        package var isLoopback: Bool { address.hasPrefix("127.") }

        /// The accepted values of the Host header. Without a certificate, the server is presumably
        /// behind a proxy that uses the default port.
        func hosts(at port: UInt16) -> Set<String> {
            let local = isLoopback ? [address, "localhost"] : [address]
            let all = (names + local).map { $0.lowercased() }
            let isDefaultPort = port == 443 || tls == nil
            return Set(all.map { "\($0):\(port)" } + (isDefaultPort ? all : []))
        }
    }

    /// The server's URL, to which a card appends its own values.
    package let address: String
    private let server: WebServer

    /// The maximum size of a request body. A form takes 120 bytes.
    private static let maximumBodySize = 512
    private static let headerBytes = 8 << 10
    private static let connections = 128
    private static let idleSeconds = 10
    private static let stopLimit = Duration.seconds(5)

    private init(address: String, server: WebServer) {
        (self.address, self.server) = (address, server)
    }

    package static func start(
        at place: Place, _ routes: CustomerRoutes
    ) throws(WebServerError) -> CustomerServer {
        var web = WebServerSettings()
        (web.address, web.port, web.tls) = (place.address, place.port, place.tls)
        (web.bodyBytes, web.headerBytes) = (maximumBodySize, headerBytes)
        (web.connections, web.idleSeconds) = (connections, idleSeconds)
        web.headers = CustomerPage.securityHeaders(isEncrypted: place.tls != nil)
        web.refusal = { status, _ in CustomerPage.refusal(status) }
        // The port is known only once the server is listening.
        let hosts = Guarded<Set<String>>([])
        let server = try WebServer.start(web) { request in
            let host = request.headers["Host"]?.lowercased() ?? ""
            guard hosts.withLock({ $0.contains(host) }) else { return routes.replyToWrongHost() }
            return routes.reply(to: request)
        }
        let names = place.hosts(at: server.port)
        hosts.withLock { $0 = names }
        let scheme = place.tls == nil ? "http" : "https"
        let name = place.names.first ?? place.address
        // The default HTTPS port is omitted, as it is by browsers.
        let isDefaultPort = place.tls != nil && server.port == 443
        return CustomerServer(
            address:
                "\(scheme)://\(name)\(isDefaultPort ? "" : ":\(server.port)")\(TapMessage.path)",
            server: server)
    }

    /// Uses a new certificate for new connections.
    package func renew(_ tls: WebServerSettings.TLS) async throws(WebServerError) {
        try await server.renew(tls)
    }

    /// Lets running requests finish and then closes the server.
    package func stop() async { await server.stop(within: CustomerServer.stopLimit) }
}
