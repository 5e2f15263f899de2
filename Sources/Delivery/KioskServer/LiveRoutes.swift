import TapcardDomain
import WebServer

/// What goes on at the counter: the card, the events, and what became of operations.
struct LiveRoutes: Sendable {
    let counter: Counter
    let reception: Reception

    func add(to routes: inout KioskRoutes) {
        let (counter, reception) = (counter, reception)
        routes.add(.events) { request, _ throws(Problem) in
            let client = try request.query("client").map { text throws(Problem) in
                try CallRoutes.id(text)
            }
            return WebResponse(
                200,
                headers: [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")],
                body: .stream(
                    try await counter.listen(client, while: reception.welcome(request))))
        }
        routes.add(.card, instant: { _ in counter.card })
        routes.add(.operation) { _, text throws(Problem) in
            guard let operation = await counter.operation(try CallRoutes.id(text ?? "")) else {
                throw .noSuchOperation
            }
            return .answer(operation.document)
        }
        routes.add(.stopOperation) { request, text throws(Problem) in
            _ = try reception.requireToken(request)
            let operation = try await counter.stop(try CallRoutes.id(text ?? ""))
            return .answer(operation.document, status: 202)
        }
    }
}
