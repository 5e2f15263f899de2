import BlockingLane
import CustomerServer
import TextCodecs
import Verbs
import WebServer

/// Routes for monitoring the server itself.
struct WatchingRoutes: Sendable {
    let counters: Counters
    /// The counter whose routes these are; nil for those of the house.
    let counter: Counters.Counter?
    let authenticator: Authenticator
    let requests: Guarded<[Int: Int]>
    /// The customers' page of the same process; nil where it serves none.
    let customers: CustomerWatch?

    func add(to routes: inout KioskRoutes) {
        let (counters, counter, requests) = (counters, counter, requests)
        let (authenticator, customers) = (authenticator, customers)
        routes.add(.health) { request, _ throws(Problem) in
            .answer(await counters.health(of: counter, inFull: authenticator.knows(request)))
        }
        // One answer for all counters, whichever is asked: a monitor asks once.
        routes.add(.metrics) { _, _ throws(Problem) in
            let text = KioskMetrics.text(
                of: await counters.counted(), requests: requests.withLock { $0 })
            return .metrics(text + (customers.map { KioskMetrics.text(of: $0.state) } ?? ""))
        }
    }
}

extension WebResponse {
    /// Counts in the text format of Prometheus.
    static func metrics(_ text: String) -> WebResponse {
        WebResponse(
            200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
            body: .bytes(Array(text.utf8)))
    }
}
