import BlockingLane
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// The counter page and its API: one reader for any number of browsers.
package final class Kiosk: Sendable {
    /// The options of the server.
    struct Settings: Sendable {
        /// The port; zero chooses a free one.
        var port: UInt16 = 0
        /// The IPv4 address in digits.
        var address = "127.0.0.1"
        /// The certificate; nil for plain HTTP.
        var tls: TLSFiles?
        /// Further host names of this server.
        var names: [String] = []
        /// Whether payments are shown longer than they take.
        var demoPace = false
        /// Whether a login is required, even at a station without cashiers.
        var mustLogIn = false

        /// Whether only programs on this machine can connect.
        var isLoopback: Bool { address.hasPrefix("127.") }
        var scheme: String { tls == nil ? "http" : "https" }

        /// The accepted values of the Host header; browsers omit the default port.
        func hosts(at port: UInt16) -> Set<String> {
            let names = ([address, "127.0.0.1", "localhost", "[::1]"] + names).map {
                $0.lowercased()
            }
            let isUsual = port == (tls == nil ? 80 : 443)
            return Set(names.map { "\($0):\(port)" } + (isUsual ? names : []))
        }
    }

    /// The URL, such as "http://127.0.0.1:40231/".
    package let address: String
    private let queue: OperationQueue
    private let server: WebServer
    private let log: KioskLog
    private let files: TLSFiles?

    static let unserved = "Nothing is served."
    /// The largest body of an API request.
    private static let longestBody = 64 << 10
    private static let headerBytes = 8 << 10
    /// One connection for each listener, and room for other requests.
    private static let connections = EventHub.mostListeners + 512
    /// The descriptors of an operation: the ledger with its journals, keys, settings, the services'
    /// sockets.
    private static let reservedDescriptors = 192
    /// One year, in which a browser uses TLS alone.
    private static let hstsSeconds = 31_536_000
    private static let stopLimit = Duration.seconds(5)

    private init(
        address: String, queue: OperationQueue, server: WebServer, log: KioskLog, files: TLSFiles?
    ) {
        (self.address, self.queue, self.server) = (address, queue, server)
        (self.log, self.files) = (log, files)
    }

    /// Opens the counter and starts to listen.
    static func start(
        _ settings: Settings, _ desk: CounterDesk, log write: @escaping @Sendable (String) -> Void
    ) async throws(TapcardError) -> Kiosk {
        let log = KioskLog(now: { desk.time }, write: write)
        let requests = Guarded<[Int: Int]>([:])
        let router = Guarded<Router?>(nil)
        var web = WebServerSettings()
        (web.address, web.port) = (settings.address, settings.port)
        web.tls = try settings.tls?.read(orSay: unserved)
        (web.bodyBytes, web.headerBytes) = (longestBody, headerBytes)
        (web.connections, web.reservedDescriptors) = (connections, reservedDescriptors)
        web.headers = [WebField("X-Content-Type-Options", "nosniff")]
        if settings.tls != nil {
            web.headers.append(WebField("Strict-Transport-Security", "max-age=\(hstsSeconds)"))
        }
        web.refusal = { status, text in Problem(status, "refused", text).response }
        let server: WebServer
        do throws(WebServerError) {
            server = try WebServer.start(web) { request in
                let reply =
                    router.withLock { $0 }?.reply(to: request) ?? .now(Problem.starting.response)
                return reply.told { status in
                    requests.withLock { $0[status, default: 0] += 1 }
                }
            }
        } catch {
            throw TapcardError(error, "The counter page cannot be served.", meaning: unserved)
        }
        // With fewer connections than wanted, the same fraction stays free for other requests.
        let queue = OperationQueue(
            desk, log: log,
            mostListeners: server.connections * EventHub.mostListeners / connections)
        let originCheck = OriginCheck(
            hosts: settings.hosts(at: server.port), scheme: settings.scheme)
        let authenticator = Authenticator(
            desk, mustLogIn: settings.mustLogIn, isProtected: settings.tls != nil,
            isLoopback: settings.isLoopback, log: log)
        router.withLock {
            $0 = Router(
                desk: desk, queue: queue, originCheck: originCheck,
                authenticator: authenticator,
                requests: requests, demoPace: settings.demoPace)
        }
        await queue.open()
        if !settings.isLoopback {
            log.say(
                "off-loopback",
                ["encrypted": .bool(settings.tls != nil), "login": .bool(settings.mustLogIn)])
        }
        let name = settings.names.first ?? settings.address
        return Kiosk(
            address: "\(settings.scheme)://\(name):\(server.port)/", queue: queue,
            server: server, log: log, files: settings.tls)
    }

    /// Checks the whole ledger file now, without waiting for a quiet hour.
    package func checkLedger() async { await queue.checkLedger() }

    /// Reads the certificate again, uses it for new clients and logs the result. A certificate that
    /// cannot be used leaves the previous one in place.
    package func reload() async {
        guard let files else { return log.say("nothing-to-reload") }
        let why: String
        do throws(TapcardError) {
            let tls = try files.read(orSay: Kiosk.unserved)
            do throws(WebServerError) {
                try await server.renew(tls)
                log.say("certificate-renewed")
                return
            } catch {
                why = error.detail
            }
        } catch {
            why = error.what
        }
        log.say(
            "certificate-refused",
            [
                "why": .string(why), "certificate": .string(files.certificate),
                "key": .string(files.key),
            ])
    }

    /// Refuses new operations, waits for running ones, and closes.
    package func stop() async {
        log.say("closing")
        await queue.close()
        await server.stop(within: Kiosk.stopLimit)
        log.say("closed")
        await log.end()
    }
}
