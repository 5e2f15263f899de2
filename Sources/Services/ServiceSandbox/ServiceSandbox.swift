import BlockingLane
public import TapcardDomain
import TextCodecs
public import WebServer

/// The three services, simulated on this machine. They respond as documented, and fail on request.
public final class ServiceSandbox: Sendable {
    /// The settings of the sandbox.
    public struct Settings: Sendable {
        /// The port; zero for any available port.
        public var port: UInt16 = 0
        public var failure: SandboxSwitch?
        /// The interval between draws; `nil` if the lottery holds draws only on request.
        public var drawEvery: Duration?
        public var tls: WebServerSettings.TLS?

        public init() {}
    }

    /// The password of every Mastermind user.
    public static let password = "sandbox"

    /// The address, such as "http://127.0.0.1:40231".
    public let address: String
    private let world: Guarded<SandboxWorld>
    private let server: WebServer
    private let drawing: Task<Void, Never>?

    /// The maximum size of a request body, in bytes. No valid request to these services is larger.
    private static let maximumBodySize = 64 << 10
    /// The maximum time that stopping may take.
    private static let stopLimit = Duration.seconds(1)

    private init(
        address: String, world: Guarded<SandboxWorld>, server: WebServer,
        drawing: Task<Void, Never>?
    ) {
        (self.address, self.world) = (address, world)
        (self.server, self.drawing) = (server, drawing)
    }

    deinit { drawing?.cancel() }

    /// Starts the sandbox. It accepts only connections from this machine.
    public static func start(
        _ settings: Settings = Settings(), now: @escaping @Sendable () -> Timestamp
    ) throws(WebServerError) -> ServiceSandbox {
        let world = Guarded(SandboxWorld(failure: settings.failure))
        let routes = SandboxRoutes(world: world, now: now).all
        var web = WebServerSettings()
        (web.port, web.tls) = (settings.port, settings.tls)
        web.bodyBytes = ServiceSandbox.maximumBodySize
        let server = try WebServer.start(web) { await routes.answer($0) }
        let scheme = settings.tls == nil ? "http" : "https"
        let address = "\(scheme)://\(web.address):\(server.port)"
        // The ranking contains full addresses, and the port is not known until now.
        world.withLock { $0.icons = address + SandboxRoutes.icons }
        let drawing = settings.drawEvery.map { pause in
            Task { await draw(every: pause, in: world) }
        }
        return ServiceSandbox(address: address, world: world, server: server, drawing: drawing)
    }

    /// The base address of a service, for a client's settings.
    public func address(of service: SandboxService) -> String { address + service.path }

    /// The address of the sandbox's controls.
    public var control: String { address + SandboxRoutes.control }

    /// The number of requests to the services.
    public var requestCount: Int { world.withLock { $0.log.requestCount } }

    /// Stops the sandbox. Delayed responses are not sent.
    public func stop() async {
        drawing?.cancel()
        await server.stop(within: ServiceSandbox.stopLimit)
    }

    /// Holds draws at intervals, until the task is canceled or the lottery has held its last draw.
    private static func draw(
        every pause: Duration, in world: Guarded<SandboxWorld>
    ) async {
        // `sleep` throws when the task is canceled, and that ends the loop.
        while (try? await Task.sleep(for: pause)) != nil {
            let isDrawn = world.withLock { world in
                var generator = SystemRandomNumberGenerator()
                return (try? world.lottery.draw(using: &generator)) != nil
            }
            guard isDrawn else { return }
        }
    }
}
