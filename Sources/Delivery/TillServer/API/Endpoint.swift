import TextCodecs
import Verbs

/// One path and method of the API, as described in its OpenAPI document.
struct Endpoint: Sendable {
    let method: String
    /// The path; its last part may be a parameter in braces.
    let path: String
    /// The heading in the document.
    let group: String
    let summary: String
    var discussion = ""
    /// Parameters in the path or the query.
    var parameters: [Parameter] = []
    /// The schema of the JSON that the client sends; nil if it sends none.
    var body: Body?
    var needsToken = false
    /// Who may make the request.
    let permission: Permission
    /// The response to a successful request.
    let answer: Answer
    /// The problem statuses that are possible in addition to those of every request.
    var problems: [Int] = []

    struct Parameter: Sendable {
        let name: String
        let isInPath: Bool
        let isRequired: Bool
        let schema: JSONValue
    }

    struct Body: Sendable {
        let schema: JSONValue
        let isRequired: Bool
    }

    struct Answer: Sendable {
        var status = 200
        let words: String
        var type = "application/json"
        /// Nil for a response without a body.
        let schema: JSONValue?
        /// Whether the request can ask for CSV instead.
        var isTable = false

        static func json(_ words: String, _ schema: JSONValue, status: Int = 200) -> Answer {
            Answer(status: status, words: words, schema: schema)
        }
    }

    /// The problem statuses of every request: it may be malformed or come from another site, the
    /// cashier file may be unreadable, or the server may be closing.
    private static let generalProblems = [400, 403, 500, 503]
    private static let tokenProblems = [401]
    private static let bodyProblems = [413, 415]

    private var isOpen: Bool { permission == .everyone }

    /// The security requirement in the OpenAPI document; nil for open endpoints. Read-only
    /// endpoints accept anonymous requests while the station has no cashiers.
    var security: JSONValue? {
        if needsToken { return [["token": []]] }
        return isOpen ? nil : [.object([]), ["token": []], ["cookie": []]]
    }

    var allProblems: [Int] {
        var all = Set(problems).union(Endpoint.generalProblems)
        if needsToken || !isOpen { all.formUnion(Endpoint.tokenProblems) }
        if body != nil { all.formUnion(Endpoint.bodyProblems) }
        return all.sorted()
    }
}

extension Endpoint {
    /// The endpoint for a call. Its description comes from the same table that parses the call's
    /// requests.
    init(_ call: TillCall, _ values: (PageParameter.Form) -> JSONValue) {
        func schema(_ parameter: PageParameter) -> JSONValue {
            Schema.withDefault(
                parameter.defaultValue,
                parameter.isRequired
                    ? values(parameter.form) : Schema.nullable(values(parameter.form)))
        }
        (method, path) = (call.method.rawValue, CallRoutes.base + call.path)
        group = call.command.group
        (summary, discussion) = (call.command.summary, call.command.discussion)
        permission = call.permission
        answer = Answer(
            words: call.changes ? "The change was made." : "The result of the query.",
            schema: Schema.named(call.answer.rawValue),
            isTable: call.parameters.contains { $0.name == "csv" })
        if call.changes {
            body = Body(
                schema: Schema.object(
                    // An optional operation ID identifies the request itself. Every change can have
                    // one, so it is added below.
                    members: call.parameters.filter { $0.form != .operation || $0.isRequired }
                        .map { ($0.name, schema($0), isRequired: $0.isRequired) }
                        + ["operation", "client"].map {
                            ($0, Schema.nullable(values(.operation)), isRequired: false)
                        } + [("repeated", Schema.nullable(values(.boolean)), isRequired: false)]),
                isRequired: call.parameters.contains(where: \.isRequired))
            needsToken = true
        } else {
            parameters = call.parameters.map { parameter in
                Parameter(
                    name: parameter.name, isInPath: parameter.name == call.pathParameter,
                    isRequired: parameter.isRequired,
                    schema: Schema.withDefault(parameter.defaultValue, values(parameter.form)))
            }
        }
        // 409, because a rule, a failing ledger, or an unusable file can cause any command to be
        // refused.
        problems =
            [409] + (SharedCall(path: path) == nil ? [] : [429])
            + (call.mayNeedReader ? [502, 504] : [])
            + (call.asksService ? [502] : [])
    }
}
