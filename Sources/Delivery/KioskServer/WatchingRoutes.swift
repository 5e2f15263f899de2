import BlockingLane
import TapcardCommands
import TextCodecs
import WebServer

/// How the server itself is, for whoever watches it.
struct WatchingRoutes: Sendable {
    let counter: Counter
    let reception: Reception
    let requests: Guarded<[Int: Int]>

    func add(to routes: inout KioskRoutes) {
        let (counter, reception, requests) = (counter, reception, requests)
        routes.add(.health) { request, _ throws(Problem) in
            .answer(await counter.health(inFull: reception.knows(request)))
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
