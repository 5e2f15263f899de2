import BlockingLane
import TapcardCommands
import TextCodecs
import WebServer

/// How the server itself is, for whoever watches it.
struct WatchingRoutes: Sendable {
    let counter: Counter
    let requests: Guarded<[Int: Int]>

    func add(to routes: inout KioskRoutes) {
        let (counter, requests) = (counter, requests)
        routes.add(.health) { _, _ throws(Problem) in
            .answer(await counter.health)
        }
        routes.add(.metrics) { _, _ throws(Problem) in
            let text = await counter.metrics.text(
                listeners: await counter.listenerCount, readerWorks: await counter.readerWorks,
                ledgerWorks: await counter.ledgerWorks,
                requests: requests.withLock { $0 })
            return WebResponse(
                200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
                body: .bytes(Array(text.utf8)))
        }
    }
}
