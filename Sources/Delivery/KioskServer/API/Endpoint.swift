import TextCodecs
import Verbs

/// What can be asked for at one path with one method: what the API's document tells of it.
struct Endpoint: Sendable {
    let method: String
    /// The last part may stand for a parameter, in braces.
    let path: String
    /// The heading under which it stands.
    let group: String
    let summary: String
    var discussion = ""
    /// In the path or the query.
    var parameters: [Parameter] = []
    /// The schema of the JSON that is sent; nil for none.
    var body: Body?
    var needsToken = false
    /// What is answered where all is well.
    let answer: Answer
    /// The statuses of the problems that it may come to, beside those of every request.
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
        /// Nil is no body.
        let schema: JSONValue?

        static func json(_ words: String, _ schema: JSONValue, status: Int = 200) -> Answer {
            Answer(status: status, words: words, schema: schema)
        }
    }

    /// A request with a method of its own can be refused with these: it is malformed, or comes from
    /// another site, the file of the cashiers cannot be read, or the counter is being closed.
    private static let everywhere = [400, 403, 500, 503]
    /// What a token can be refused with, and what a body can.
    private static let ofTokens = [401]
    private static let ofBodies = [413, 415]

    private var isOpen: Bool { Router.isOpen(path) }

    /// Who may ask, as the document says it; nil is anybody. What only looks at something may have
    /// to be shown who asks, where there are cashiers.
    var security: JSONValue? {
        if needsToken { return [["token": []]] }
        return isOpen ? nil : [.object([]), ["token": []], ["cookie": []]]
    }

    var allProblems: [Int] {
        var all = Set(problems).union(Endpoint.everywhere)
        if needsToken || !isOpen { all.formUnion(Endpoint.ofTokens) }
        if body != nil { all.formUnion(Endpoint.ofBodies) }
        return all.sorted()
    }
}

extension Endpoint {
    /// A call, from the table that its requests are read by.
    init(_ call: CounterCall, _ values: (PageParameter.Form) -> JSONValue) {
        func schema(_ parameter: PageParameter) -> JSONValue {
            Schema.byDefault(
                parameter.usual,
                parameter.isRequired
                    ? values(parameter.form) : Schema.orNull(values(parameter.form)))
        }
        (method, path) = (call.method.rawValue, CallRoutes.base + call.path)
        group = call.command.group
        (summary, discussion) = (call.command.summary, call.command.discussion)
        answer = .json(
            call.changes ? "It is done." : "What there is to tell.",
            Schema.named(call.answer.rawValue))
        if call.changes {
            body = Body(
                schema: Schema.object(
                    members: call.parameters.filter { $0.form != .operation || $0.isRequired }
                        .map { ($0.name, schema($0), isRequired: $0.isRequired) }
                        + ["operation", "client"].map {
                            ($0, Schema.orNull(values(.operation)), isRequired: false)
                        }),
                isRequired: call.parameters.contains(where: \.isRequired))
            needsToken = true
        } else {
            parameters = call.parameters.map { parameter in
                Parameter(
                    name: parameter.name, isInPath: parameter.name == call.pathParameter,
                    isRequired: parameter.isRequired,
                    schema: Schema.byDefault(parameter.usual, values(parameter.form)))
            }
        }
        // Whatever a command does, ledger and files can fail, and a rule can refuse it.
        problems = [409] + (call.mayNeedReader ? [504] : []) + (call.asksService ? [502] : [])
    }
}
