import StationFiles
import TapcardDomain
import WebServer

/// Routes for the live state: the card, the events, and the outcomes of operations.
struct LiveRoutes: Sendable {
    let queue: OperationQueue
    let authenticator: Authenticator

    func add(to routes: inout TillRoutes) {
        let (queue, authenticator) = (queue, authenticator)
        routes.add(.events) { request, _ throws(Problem) in
            let client = try request.query("client").map { text throws(Problem) in
                try CallRoutes.id(text)
            }
            let check = authenticator.permissionCheck(for: request)
            let caller = try authenticator.caller(of: request, isUse: false)
            return .events(
                try await queue.listen(
                    client, RoleCheck.document(of: caller.cashier), while: check))
        }
        routes.add(.taps) { request, _ throws(Problem) in
            let check = try authenticator.streamCheck(.taps, for: request, at: queue.runner)
            return .events(try await queue.listenToTaps(while: check))
        }
        routes.add(.card, instant: { _ in queue.card })
        routes.add(.operation) { request, text throws(Problem) in
            guard let operation = await queue.operation(try CallRoutes.id(text ?? "")) else {
                throw await queue.unknownOperation
            }
            let role = try authenticator.caller(of: request, isUse: false).cashier?.role
            return .answer(operation.document(for: role ?? .owner))
        }
        routes.add(.stopOperation) { request, text throws(Problem) in
            _ = try authenticator.requireToken(request)
            let operation = try await queue.stop(try CallRoutes.id(text ?? ""))
            return .answer(operation.document, status: 202)
        }
    }
}

extension WebResponse {
    /// Server-sent events.
    static func events(_ stream: WebStream) -> WebResponse {
        WebResponse(
            200, headers: [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")],
            body: .stream(stream))
    }
}
