import BlockingLane
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

    func add(to routes: inout KioskRoutes) {
        let (counters, counter, requests) = (counters, counter, requests)
        let authenticator = authenticator
        routes.add(.health) { request, _ throws(Problem) in
            .answer(await counters.health(of: counter, inFull: authenticator.knows(request)))
        }
        // One answer for all counters, whichever is asked: a monitor asks once.
        routes.add(.metrics) { _, _ throws(Problem) in
            let text = KioskMetrics.text(
                of: await counters.counted(), requests: requests.withLock { $0 })
            return WebResponse(
                200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
                body: .bytes(Array(text.utf8)))
        }
    }
}
