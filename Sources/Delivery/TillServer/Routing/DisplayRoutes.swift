import WebServer

/// Routes for the customer's display.
struct DisplayRoutes: Sendable {
    let queue: OperationQueue
    let authenticator: Authenticator

    func add(to routes: inout TillRoutes) {
        let (queue, authenticator) = (queue, authenticator)
        routes.add(.displayEvents) { request, _ throws(Problem) in
            let check = try authenticator.streamCheck(.display, for: request, at: queue.runner)
            return .events(try await queue.listenToDisplay(while: check))
        }
        routes.add(.showSale) { request, _ throws(Problem) in
            _ = try authenticator.requireToken(request)
            let sale = try CustomerDisplay.Sale(try body(of: request)) {
                queue.runner.amount($0) != nil
            }
            await queue.show(sale)
            return WebResponse(204)
        }
    }
}
