import BlockingLane
import TextCodecs
import Verbs
import WebServer

/// Routes for monitoring the server itself.
struct WatchingRoutes: Sendable {
    let queue: OperationQueue
    let authenticator: Authenticator
    let requests: Guarded<[Int: Int]>

    func add(to routes: inout KioskRoutes) {
        let (queue, authenticator, requests) = (queue, authenticator, requests)
        routes.add(.health) { request, _ throws(Problem) in
            .answer(await queue.health(inFull: authenticator.knows(request)))
        }
        routes.add(.metrics) { _, _ throws(Problem) in
            let text = await queue.metrics.text(
                listeners: await queue.listenerCount, readerWorks: await queue.readerWorks,
                ledgerWorks: await queue.ledgerWorks,
                requests: requests.withLock { $0 })
            return WebResponse(
                200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
                body: .bytes(Array(text.utf8)))
        }
    }
}
