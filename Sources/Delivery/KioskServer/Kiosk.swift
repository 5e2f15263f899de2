import BlockingLane
public import TapcardCommands
public import TapcardCore
import TapcardDomain
import TextCodecs
public import WebServer

/// The counter page and its API: a reader, seen by as many browsers as want to.
public final class Kiosk: Sendable {
    /// How it is served.
    public struct Settings: Sendable {
        /// Zero is any port that is free.
        public var port: UInt16 = 0
        public var address = "127.0.0.1"
        public var tls: WebServerSettings.TLS?
        /// Other names under which browsers know this server.
        public var names: [String] = []
        public var demoPace = false
        /// Whether nobody is to be let in without a password, whoever may be asked for one.
        public var mustLogIn = false

        public init() {}

        /// Whether only programs of this machine can reach it.
        var isLoopback: Bool { address.hasPrefix("127.") }
        var scheme: String { tls == nil ? "http" : "https" }

        /// What may stand in a request as the host: browsers leave the usual port out.
        func hosts(at port: UInt16) -> Set<String> {
            let names = ([address, "127.0.0.1", "localhost", "[::1]"] + names).map {
                $0.lowercased()
            }
            let isUsual = port == (tls == nil ? 80 : 443)
            return Set(names.map { "\($0):\(port)" } + (isUsual ? names : []))
        }
    }

    /// "http://127.0.0.1:40231/".
    public let address: String
    private let counter: Counter
    private let server: WebServer
    private let log: KioskLog

    /// No request of the API is longer.
    private static let longestBody = 64 << 10
    private static let headerBytes = 8 << 10
    /// Every listener has one, and those who ask beside them.
    private static let connections = EventHub.mostListeners + 512
    /// What an operation opens: the ledger with its journals, keys, settings, the services' sockets.
    private static let reservedDescriptors = 192
    /// For a year a browser asks by TLS alone.
    private static let hstsSeconds = 31_536_000
    private static let stopLimit = Duration.seconds(5)

    private init(address: String, counter: Counter, server: WebServer, log: KioskLog) {
        (self.address, self.counter, self.server, self.log) = (address, counter, server, log)
    }

    /// Opens the counter, and begins to listen.
    public static func start(
        _ settings: Settings, _ desk: CounterDesk, log write: @escaping @Sendable (String) -> Void
    ) async throws(WebServerError) -> Kiosk {
        let log = KioskLog(now: { desk.time }, write: write)
        let requests = Guarded<[Int: Int]>([:])
        let doors = Guarded<KioskDoors?>(nil)
        var web = WebServerSettings()
        (web.address, web.port, web.tls) = (settings.address, settings.port, settings.tls)
        (web.bodyBytes, web.headerBytes) = (longestBody, headerBytes)
        (web.connections, web.reservedDescriptors) = (connections, reservedDescriptors)
        web.headers = [WebField("X-Content-Type-Options", "nosniff")]
        if settings.tls != nil {
            web.headers.append(WebField("Strict-Transport-Security", "max-age=\(hstsSeconds)"))
        }
        web.refusal = { status, text in Problem(status, "refused", text).response }
        let server = try WebServer.start(web) { request in
            let reply =
                doors.withLock { $0 }?.reply(to: request) ?? .now(Problem.starting.response)
            return reply.told { status in
                requests.withLock { $0[status, default: 0] += 1 }
            }
        }
        // Where there is less room than is wanted, the same part of it is for those who only ask.
        let counter = Counter(
            desk, log: log,
            mostListeners: server.connections * EventHub.mostListeners / connections)
        let gatekeeper = Gatekeeper(
            hosts: settings.hosts(at: server.port), scheme: settings.scheme)
        let reception = Reception(
            desk, mustLogIn: settings.mustLogIn, isProtected: settings.tls != nil,
            isLoopback: settings.isLoopback, log: log)
        doors.withLock {
            $0 = KioskDoors(
                desk: desk, counter: counter, gatekeeper: gatekeeper, reception: reception,
                requests: requests, demoPace: settings.demoPace)
        }
        await counter.open()
        if !settings.isLoopback {
            log.say(
                "off-loopback",
                [
                    JSONMember(key: "encrypted", value: .bool(settings.tls != nil)),
                    JSONMember(key: "login", value: .bool(settings.mustLogIn)),
                ])
        }
        let name = settings.names.first ?? settings.address
        return Kiosk(
            address: "\(settings.scheme)://\(name):\(server.port)/", counter: counter,
            server: server, log: log)
    }

    /// Reads the ledger's file through now, as it is done in a quiet hour.
    package func checkLedger() async { await counter.checkLedger() }

    /// Shows new clients another certificate, and says in the log what came of that. Where it cannot be
    /// used, the one before stays.
    public func renew(
        _ files: TLSFiles, _ read: @Sendable () throws(TapcardError) -> WebServerSettings.TLS
    ) async {
        let why: String
        do throws(TapcardError) {
            let tls = try read()
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
                JSONMember(key: "why", value: .string(why)),
                JSONMember(key: "certificate", value: .string(files.certificate)),
                JSONMember(key: "key", value: .string(files.key)),
            ])
    }

    /// Notes in the log that a reload found nothing to read again.
    public func sayNothingToReload() { log.say("nothing-to-reload") }

    /// Begins nothing new, lets what runs come to its end, and closes.
    public func stop() async {
        log.say("closing")
        await counter.close()
        await server.stop(within: Kiosk.stopLimit)
        log.say("closed")
        await log.end()
    }
}
