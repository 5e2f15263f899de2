import BlockingLane
import CustomerServer
import TextCodecs
import Verbs
import WebServer

/// Routes for monitoring the server itself.
struct WatchingRoutes: Sendable {
    let tills: Tills
    /// The till that the routes are for; nil for the server.
    let till: Tills.Till?
    let authenticator: Authenticator
    let forwarding: Forwarding
    let requests: Guarded<[Int: Int]>
    /// The number of open connections.
    let connections: @Sendable () -> Int
    /// The source of metrics for the customer page in this process; nil if there is no customer
    /// page.
    let customers: CustomerWatch?

    func add(to routes: inout TillRoutes) {
        let (tills, till, requests, connections) = (tills, till, requests, connections)
        let (authenticator, forwarding, customers) = (authenticator, forwarding, customers)
        routes.add(.health) { request, _ throws(Problem) in
            .answer(
                await tills.health(of: till, inFull: authenticator.knows(request)) { number in
                    forwarding.peerAddress(of: number) != nil
                })
        }
        // The response always covers all tills, because a monitoring program asks only once.
        routes.add(.metrics) { _, _ throws(Problem) in
            let text = TillMetrics.text(
                of: await tills.metricSamples(),
                TillMetrics.ServerSample(
                    ledgerWorks: await tills.ledgerCheck.problem() == nil,
                    connections: connections(), requests: requests.withLock { $0 },
                    forwarded: forwarding.counts))
            return .metrics(text + (customers.map { TillMetrics.text(of: $0.state) } ?? ""))
        }
    }
}

extension WebResponse {
    /// Metrics in the Prometheus text format.
    static func metrics(_ text: String) -> WebResponse {
        WebResponse(
            200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
            body: .bytes(Array(text.utf8)))
    }
}
