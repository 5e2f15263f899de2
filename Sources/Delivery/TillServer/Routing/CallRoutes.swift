import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// Routes that turn requests into calls, and outcomes into responses.
struct CallRoutes: Sendable {
    static let base = "/api/v1/"

    let queue: OperationQueue
    let authenticator: Authenticator

    func add(
        _ calls: [TillCall], to routes: inout TillRoutes,
        _ values: (PageParameter.Form) -> JSONValue
    ) {
        for call in calls {
            routes.add(Endpoint(call, values)) {
                request, parameter throws(Problem) in
                try await answer(call, request, parameter)
            }
        }
    }

    private func answer(
        _ call: TillCall, _ request: WebRequest, _ parameter: String?
    ) async throws(Problem) -> WebResponse {
        let requester =
            call.changes
            ? try authenticator.requireSender(of: request, for: call, at: queue.runner)
            : Requester()
        var members = call.changes ? try body(of: request) : try query(of: request, for: call)
        if let parameter, let name = call.pathParameter {
            members.append(JSONMember(key: name, value: .string(parameter)))
        }
        var client: OperationID?
        if call.changes, let named = members.first(where: { $0.key == "client" }) {
            client = try CallRoutes.id(named.value)
            // Another tab may repeat the request, so the client must not be part of the comparison.
            members.removeAll { $0.key == "client" }
        }
        let isRepeated = call.changes ? try CallRoutes.isRepeated(&members) : false
        let answer = try await queue.carryOut(
            call, members, by: client, for: requester, isRepeated: isRepeated)
        // A GET returns what it found, such as the tickets in the ledger, even if there was a
        // problem.
        if let problem = answer.problem, call.changes || answer.document == nil {
            throw Problem(problem)
        }
        if let table = answer.document?["csv"]?.string {
            let name = (parameter ?? "tapcard") + ".csv"
            return WebResponse(
                200,
                headers: [
                    ("Content-Type", "text/csv; charset=utf-8"), ("Cache-Control", "no-store"),
                    ("Content-Disposition", "attachment; filename=\"\(name)\""),
                ], body: .bytes(Array(table.utf8)))
        }
        return .answer(answer.document ?? ["result": "done"])
    }

    private func query(
        of request: WebRequest, for call: TillCall
    ) throws(Problem) -> [JSONMember] {
        request.query.map { field in
            // Values in a query are text, which the parsers do not accept as numbers.
            let form = call.parameters.first { $0.name == field.name }?.form
            let value: JSONValue =
                switch form {
                case .wholeNumber: .number(field.value)
                case .boolean where ["true", "false"].contains(field.value):
                    .bool(field.value == "true")
                default: .string(field.value)
                }
            return JSONMember(key: field.name, value: value)
        }
    }

    /// Whether the request may only finish an operation that was already begun with its ID. Removes
    /// the member `repeated`, which says so.
    private static func isRepeated(_ members: inout [JSONMember]) throws(Problem) -> Bool {
        guard let place = members.firstIndex(where: { $0.key == "repeated" }) else { return false }
        let value = members.remove(at: place).value
        guard value == .null || value.bool != nil else {
            throw Problem(.usage, "\"repeated\" must be true or false.")
        }
        return value == .bool(true)
    }

    /// The operation ID in a JSON value; nil if the value is null.
    static func id(_ value: JSONValue) throws(Problem) -> OperationID? {
        if value == .null { return nil }
        guard let text = value.string else {
            throw Problem(.usage, "\"id\" must be a string.")
        }
        return try id(text)
    }

    static func id(_ text: String) throws(Problem) -> OperationID {
        guard let id = OperationID(text) else {
            throw Problem(.usage, "\(text.quotation) is not a UUID.")
        }
        return id
    }
}

/// The members of the JSON object in the request's body.
func body(of request: WebRequest) throws(Problem) -> [JSONMember] {
    if request.body.isEmpty { return [] }
    // Parameters, such as the character set, may follow the type.
    let type = request.headers["Content-Type"]?.split(separator: ";").first ?? ""
    guard type.lowercased() == "application/json" else {
        throw Problem(
            .wrongContentType, "The body must be JSON.", "Nothing was done.",
            NextWords("send-json", "Send it with Content-Type: application/json"))
    }
    let value = try translating(JSONValue.parsing(request.body)) { (error: JSONError) in
        Problem(.notJSON, "The body is not JSON: \(error).")
    }
    guard let members = value.members else {
        throw Problem(.notAnObject, "The body must be a JSON object.")
    }
    return members
}

extension WebResponse {
    static func answer(
        _ document: JSONValue, status: Int = 200, headers: [(String, String)] = []
    ) -> WebResponse {
        .json(
            document.text + "\n", status: status,
            headers: [("Cache-Control", "no-store")] + headers)
    }
}
