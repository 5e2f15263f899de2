import TapcardCore
import TapcardDomain
import TextCodecs
import WebServer

/// The routes that show, arm, and disarm a till's armed sale.
struct ArmingRoutes: Sendable {
    let queue: OperationQueue
    let authenticator: Authenticator

    func add(to routes: inout TillRoutes) {
        let (queue, authenticator) = (queue, authenticator)
        routes.add(.armed) { _, _ throws(Problem) in
            .answer(["armed": await queue.armedDocument])
        }
        routes.add(.arm) { request, _ throws(Problem) in
            let pay = try ArmingRoutes.call(of: request, authenticator, queue)
            return .answer(["armed": try await queue.arm(pay)])
        }
        routes.add(.disarm) { request, _ throws(Problem) in
            _ = try authenticator.requireToken(request)
            func id(_ name: String) throws(Problem) -> OperationID? {
                try request.query(name).map { text throws(Problem) in try CallRoutes.id(text) }
            }
            let (sale, client) = (try id("operation"), try id("client"))
            return .answer(["armed": try await queue.disarm(sale, by: client)])
        }
    }

    /// Reads the sale to arm from the request's body, and checks who sent it. Without `verb`, the
    /// sale is a `pay`.
    private static func call(
        of request: WebRequest, _ authenticator: Authenticator, _ queue: OperationQueue
    ) throws(Problem) -> OperationQueue.SaleRequest {
        var members = try body(of: request)
        func take(_ name: String) -> JSONValue {
            guard let place = members.firstIndex(where: { $0.key == name }) else { return .null }
            return members.remove(at: place).value
        }
        let verb = take("verb")
        guard let call = TillCall.armable.first(where: { $0.path == verb.string ?? "pay" }) else {
            throw Problem(.usage, "Only a payment can be armed.")
        }
        let requester = try authenticator.requireSender(of: request, for: call, at: queue.runner)
        guard let id = try CallRoutes.id(take("operation")),
            let client = try CallRoutes.id(take("client"))
        else { throw Problem(.usage, "\"operation\" and \"client\" are needed.") }
        return OperationQueue.SaleRequest(
            id: id, client: client, call: call, members: members, requester: requester)
    }
}
