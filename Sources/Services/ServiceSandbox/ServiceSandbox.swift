import BlockingLane
public import TapcardDomain
import TextCodecs
public import WebServer

/// The three services on this machine: they answer as documented, and go wrong when they are told
/// to.
public final class ServiceSandbox: Sendable {
    /// How they are played.
    public struct Settings: Sendable {
        /// Zero is any port that is free.
        public var port: UInt16 = 0
        public var failure: SandboxSwitch?
        /// For so many seconds an answer of the lottery may be kept without asking again.
        public var maxAge = 60
        /// Nil for a lottery that draws only when it is told to.
        public var drawEvery: Duration?
        public var tls: WebServerSettings.TLS?

        public init() {}
    }

    /// Mastermind lets everybody in with it.
    public static let password = "sandbox"

    /// "http://127.0.0.1:40231".
    public let address: String
    private let world: Guarded<SandboxWorld>
    private let server: WebServer
    private let drawing: Task<Void, Never>?

    /// No request of these services is longer.
    private static let longestBody = 64 << 10
    private static let stopLimit = Duration.seconds(1)

    private init(
        address: String, world: Guarded<SandboxWorld>, server: WebServer,
        drawing: Task<Void, Never>?
    ) {
        (self.address, self.world) = (address, world)
        (self.server, self.drawing) = (server, drawing)
    }

    deinit { drawing?.cancel() }

    /// Begins to listen, on this machine alone.
    public static func start(
        _ settings: Settings = Settings(), now: @escaping @Sendable () -> Timestamp
    ) throws(WebServerError) -> ServiceSandbox {
        let world = Guarded(
            SandboxWorld(
                maxAge: settings.maxAge, failure: settings.failure, now: now()))
        let routes = SandboxRoutes(world: world, now: now).all
        var web = WebServerSettings()
        (web.port, web.tls) = (settings.port, settings.tls)
        web.bodyBytes = ServiceSandbox.longestBody
        let server = try WebServer.start(web) { await routes.answer($0) }
        let scheme = settings.tls == nil ? "http" : "https"
        let address = "\(scheme)://\(web.address):\(server.port)"
        world.withLock { $0.icons = address + SandboxRoutes.icons }
        let drawing = settings.drawEvery.map { pause in
            Task { await draw(every: pause, in: world, now: now) }
        }
        return ServiceSandbox(address: address, world: world, server: server, drawing: drawing)
    }

    /// The base address of a service, as the settings of a client name it.
    public func address(of service: SandboxService) -> String { address + service.path }

    /// Where it is told what to do.
    public var control: String { address + SandboxRoutes.control }

    /// How many requests the services have had.
    public var requestCount: Int { world.withLock { $0.log.requestCount } }

    /// Ends it. An answer that is held back does not come any more.
    public func stop() async {
        drawing?.cancel()
        await server.stop(within: ServiceSandbox.stopLimit)
    }

    /// Ends with the task, or when the lottery has drawn as often as it does.
    private static func draw(
        every pause: Duration, in world: Guarded<SandboxWorld>, now: @Sendable () -> Timestamp
    ) async {
        while (try? await Task.sleep(for: pause)) != nil {
            let isDrawn = world.withLock { world in
                var chance = SystemRandomNumberGenerator()
                return (try? world.lottery.draw(now: now(), using: &chance)) != nil
            }
            guard isDrawn else { return }
        }
    }
}
