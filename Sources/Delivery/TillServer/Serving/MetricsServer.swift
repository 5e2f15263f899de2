import BlockingLane
import CustomerServer
import TapcardCore
import WebServer

/// Serves the metrics of a customer page that runs without a till page, at `/metrics`, and only to
/// this machine. The customer page's own listener never serves them.
final class MetricsServer: Sendable {
    /// The URL of the metrics.
    let address: String
    private let server: WebServer

    private static let loopback = "127.0.0.1"
    private static let path = "/metrics"
    private static let connections = 16
    private static let headerBytes = 8 << 10
    private static let stopLimit = Duration.seconds(1)

    private init(_ server: WebServer) {
        self.server = server
        address = "http://\(MetricsServer.loopback):\(server.port)\(MetricsServer.path)"
    }

    static func start(
        at port: UInt16, _ watch: CustomerWatch
    ) throws(TapcardError) -> MetricsServer {
        var web = WebServerSettings()
        (web.address, web.port) = (loopback, port)
        (web.connections, web.headerBytes) = (connections, headerBytes)
        web.headers = [WebField("X-Content-Type-Options", "nosniff")]
        web.refusal = { status, text in Problem(refusing: status, text).response }
        // The port is known only once the server is listening.
        let names = Guarded<Set<String>>([])
        let server = try translating(
            WebServer.start(web) { request in
                .now(answer(to: request, under: names.withLock { $0 }, watch))
            }
        ) { TapcardError($0, "The metrics cannot be served.", meaning: TillService.unserved) }
        names.withLock { names in
            names = Set([loopback, "localhost"].map { "\($0):\(server.port)" })
            if server.port == 80 { names.formUnion([loopback, "localhost"]) }
        }
        return MetricsServer(server)
    }

    private static func answer(
        to request: WebRequest, under names: Set<String>, _ watch: CustomerWatch
    ) -> WebResponse {
        do throws(Problem) {
            // Other sites in a browser on this machine must not be able to read the metrics.
            _ = try OriginCheck(hosts: names, scheme: "http").otherOrigin(request, isFile: false)
            guard request.path == path else {
                throw Problem(.notFound, "There is nothing at this path.")
            }
            guard request.method == "GET" else {
                var problem = Problem(.wrongMethod, "The metrics are read-only.")
                problem.headers = [("Allow", "GET, HEAD")]
                throw problem
            }
            return .metrics(TillMetrics.text(of: watch.state))
        } catch {
            return error.response
        }
    }

    func stop() async { await server.stop(within: MetricsServer.stopLimit) }
}
