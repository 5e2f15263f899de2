import BlockingLane
import CustomerServer
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// The till page and its API: one till for each reader, and any number of browsers.
package final class TillService: Sendable {
    /// The server's options.
    struct Settings: Sendable {
        /// The port. If it is zero, the system chooses a free port.
        var port: UInt16 = 0
        /// The numeric IPv4 address.
        var address = "127.0.0.1"
        /// The certificate; nil for plain HTTP.
        var tls: TLSFiles?
        /// Additional host names of this server.
        var names: [String] = []
        /// The address at which other servers of the ledger reach this one; nil for none.
        var peerAddress: ServiceAddress?
        /// Whether the page shows the progress of a payment for longer than the payment takes.
        var demoPace = false
        /// Other origins that may use API tokens.
        var allowedOrigins: [WebOrigin] = []
        /// Whether a login is required even if the station has no cashiers.
        var mustLogIn = false

        /// Whether only programs on this machine can connect.
        var isLoopback: Bool { address.hasPrefix("127.") }
        var scheme: String { tls == nil ? "http" : "https" }

        /// The accepted values of the Host header; browsers omit the default port.
        func hosts(at port: UInt16) -> Set<String> {
            let names = ([address, "127.0.0.1", "localhost", "[::1]"] + names).map {
                $0.lowercased()
            }
            let isDefaultPort = port == (tls == nil ? 80 : 443)
            let peers = [peerAddress?.host.lowercased()].compactMap(\.self)
            return Set(names.map { "\($0):\(port)" } + (isDefaultPort ? names : []) + peers)
        }
    }

    /// The URL, such as "http://127.0.0.1:40231/".
    package let address: String
    private let tills: Tills
    private let enrolled: EnrolledTills
    private let server: WebServer
    private let log: TillLog
    private let files: TLSFiles?

    static let unserved = "The server was not started."
    /// The maximum size of an API request's body.
    private static let maximumBodySize = 64 << 10
    private static let headerBytes = 8 << 10
    /// One connection for each listener, and 512 for other requests.
    private static let connections = EventHub.maximumListeners + 512
    /// File descriptors reserved for an operation: ledger and journals, keys, settings, and sockets
    /// for services.
    private static let reservedDescriptors = 192
    /// File descriptors reserved for each additional till: its ledger, reader process, and sockets
    /// for services.
    private static let tillDescriptors = 32
    /// For this long after a visit, a browser connects only over TLS: one year.
    private static let hstsSeconds = 31_536_000
    private static let stopLimit = Duration.seconds(5)

    private init(
        address: String, tills: Tills, enrolled: EnrolledTills, server: WebServer, log: TillLog,
        files: TLSFiles?
    ) {
        (self.address, self.tills, self.enrolled) = (address, tills, enrolled)
        self.server = server
        (self.log, self.files) = (log, files)
    }

    /// Opens the tills, one for each reader, and starts listening. The service's metrics include
    /// those of a customer page in the same process.
    static func start(
        _ settings: Settings, _ runners: TillRunners, customers: CustomerWatch? = nil,
        peers: (any PeerLine)? = nil, log write: @escaping @Sendable (String) -> Void
    ) async throws(TapcardError) -> TillService {
        let log = TillLog(now: { runners.server.time }, write: write)
        let requests = Guarded<[Int: Int]>([:])
        // The router needs the port and the number of connections, which are known only once the
        // server is listening. Until the router exists, the response to every request is that the
        // server is starting.
        let router = Guarded<Router?>(nil)
        var web = WebServerSettings()
        (web.address, web.port) = (settings.address, settings.port)
        web.tls = try settings.tls?.read(orSay: unserved)
        (web.bodyBytes, web.headerBytes) = (maximumBodySize, headerBytes)
        web.connections = connections
        web.reservedDescriptors = reservedDescriptors + runners.local.count * tillDescriptors
        web.headers = [WebField("X-Content-Type-Options", "nosniff")]
        if settings.tls != nil {
            web.headers.append(WebField("Strict-Transport-Security", "max-age=\(hstsSeconds)"))
        }
        web.refusal = { status, text in Problem(refusing: status, text).response }
        let server = try translating(
            WebServer.start(web) { request in
                let reply =
                    router.withLock { $0 }?.reply(to: request) ?? .now(Problem.starting.response)
                return reply.reportingStatus { status in
                    requests.withLock { $0[status, default: 0] += 1 }
                }
            }
        ) { TapcardError($0, "The till page cannot be served.", meaning: unserved) }
        // If the system allows fewer connections, the same proportion stays free for other
        // requests.
        let tills = Tills(
            runners, log: log,
            maximumListeners: server.connections * EventHub.maximumListeners / connections)
        let originCheck = OriginCheck(
            hosts: settings.hosts(at: server.port), scheme: settings.scheme,
            allowed: Set(settings.allowedOrigins.map(\.description)))
        let authenticator = Authenticator(
            runners.server, mustLogIn: settings.mustLogIn, isProtected: settings.tls != nil,
            isLoopback: settings.isLoopback, log: log)
        let forwarding = Forwarding(
            runners.server, peers, ownAddress: settings.peerAddress?.text)
        let enrolled = EnrolledTills(runners, tills, forwarding, log: log) { number in
            authenticator.closeSessions(at: number)
            router.withLock { $0 }?.forget(number)
        }
        router.withLock {
            $0 = Router(
                tills: tills, server: runners.server,
                agents: AgentRoutes(tills: enrolled, log: log), forwarding: forwarding,
                originCheck: originCheck, authenticator: authenticator,
                requests: requests, connections: { [weak server] in server?.openConnections ?? 0 },
                customers: customers, demoPace: settings.demoPace)
        }
        await tills.open()
        await enrolled.open()
        if !settings.isLoopback {
            log.say(
                "off-loopback",
                ["encrypted": .bool(settings.tls != nil), "login": .bool(settings.mustLogIn)])
        }
        let name = settings.names.first ?? settings.address
        return TillService(
            address: "\(settings.scheme)://\(name):\(server.port)/", tills: tills,
            enrolled: enrolled, server: server, log: log, files: settings.tls)
    }

    /// Checks the whole ledger file right away, without waiting for a quiet hour.
    package func checkLedger() async { await tills.ledgerCheck.check() }

    /// The tills with their pages; empty if there is only one.
    var severalTills: [(number: Int, reader: String, address: String)] {
        tills.local.compactMap { till in
            till.number.map { number in
                (
                    number, till.runner.readerText,
                    address + TillPath.of(number).dropFirst() + "/"
                )
            }
        }
    }

    /// Rereads the certificate, uses it for new connections, and logs the result. If the new
    /// certificate cannot be used, the old one stays in use.
    package func reload() async {
        guard let files else { return log.say("nothing-to-reload") }
        await files.renew(log) { tls throws(WebServerError) in try await server.renew(tls) }
    }

    /// Refuses new operations, waits for running ones, and closes.
    package func stop() async {
        log.say("closing")
        // Running operations send their responses before their connections are closed.
        await tills.close()
        await enrolled.close()
        await server.stop(within: TillService.stopLimit)
        log.say("closed")
        await log.end()
    }
}
