import TapcardDomain
import TextCodecs
import Verbs

/// The OpenAPI document for this server, generated from the same tables as its routes.
struct APIDocument: Sendable {
    let endpoints: [Endpoint]
    let currency: Currency
    let cookieName: String
    /// The number of tills.
    let tills: Int

    var value: JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "tapcard serve", "version": .string(Release.version),
                "summary":
                    "A till for stored-value cards over HTTP, with reader, ledger, and services",
                "description": .string(APIDocument.overview),
            ],
            "servers": [server],
            "paths": .object(paths),
            "components": [
                "securitySchemes": [
                    "token": ["type": "http", "scheme": "bearer"],
                    "cookie": [
                        "type": "apiKey", "in": "cookie", "name": .string(cookieName),
                    ],
                ],
                "schemas": .object(
                    schemas.map { JSONMember(key: $0.name, value: $0.schema) }),
                "responses": .object(
                    APIDocument.problemWords.map { status, words in
                        JSONMember(
                            key: "Problem\(status)", value: APIDocument.problem(words, status))
                    }),
            ],
        ]
    }

    /// The server's root or, with several tills, the path of one till.
    private var server: JSONValue {
        guard tills > 1 else { return ["url": "/"] }
        return [
            "url": .string(TillPath.template),
            "variables": [
                "till": [
                    "enum": .array((1...tills).map { .string(String($0)) }), "default": "1",
                    "description":
                        "Till number. Tills are numbered in the order of the --reader options.",
                ]
            ],
        ]
    }

    private static let overview = """
        Amounts are decimal strings, and times are in UTC. Members are always present and are null \
        if their value is unknown. The response to a refused call is a problem document (RFC \
        9457), which says what happened, what that means for the card and the money, and what to \
        do next.

        Calls that change something need a token, in the header Authorization: Bearer. If any \
        cashiers are set up, calls that only read need the token or the cookie that comes with it. \
        A call can have an operation ID. A request with the same ID is never executed twice, so it \
        is safe to send a request again. A call that needs a card returns once the card has been \
        used, or with 504 if no card was tapped in time.

        Other programs, and web pages from origins that the operator allows, can use API tokens \
        instead. An API token works only for taps, tag/read, and tag/write. It can be limited to \
        certain origins or to one reader, and it can expire. To create one, the operator runs: \
        tapcard tokens add.
        """

    /// All schemas that other schemas refer to.
    var schemas: [(name: String, schema: JSONValue)] {
        ValueSchemas.components(currency)
            + PrintedDocument.allCases.filter(isReturned).map { ($0.rawValue, $0.schema) }
            + TillSchemas.components
    }

    private func isReturned(_ document: PrintedDocument) -> Bool {
        document == .tapEvent
            || (TillCall.all + TillCall.simulator).contains { $0.answer == document }
    }

    private var paths: [JSONMember] {
        var paths: [JSONMember] = []
        for endpoint in endpoints {
            let operation = JSONMember(
                key: endpoint.method.lowercased(), value: members(of: endpoint).object)
            // In OpenAPI, all methods of a path share one entry.
            if let index = paths.firstIndex(where: { $0.key == endpoint.path }) {
                paths[index].value = .object((paths[index].value.members ?? []) + [operation])
            } else {
                paths.append(JSONMember(key: endpoint.path, value: .object([operation])))
            }
        }
        return paths
    }

    private func members(of endpoint: Endpoint) -> Members {
        var members: Members = [
            "tags": [.string(endpoint.group)], "operationId": .string(endpoint.name),
            "summary": .string(endpoint.summary),
        ]
        if !endpoint.discussion.isEmpty {
            members += ["description": .string(endpoint.discussion)]
        }
        if !endpoint.parameters.isEmpty {
            members += ["parameters": .array(endpoint.parameters.map(\.document))]
        }
        if let body = endpoint.body {
            members += [
                "requestBody": [
                    "required": .bool(body.isRequired),
                    "content": ["application/json": ["schema": body.schema]],
                ]
            ]
        }
        if let ways = endpoint.security { members += ["security": ways] }
        return members + ["responses": .object(responses(of: endpoint))]
    }

    private func responses(of endpoint: Endpoint) -> [JSONMember] {
        let answer = endpoint.answer
        var done = [JSONMember(key: "description", value: .string(answer.words))]
        if let schema = answer.schema {
            var content = [JSONMember(key: answer.type, value: ["schema": schema])]
            if answer.isTable {
                content.append(JSONMember(key: "text/csv", value: ["schema": Schema.text]))
            }
            done.append(JSONMember(key: "content", value: .object(content)))
        }
        return [JSONMember(key: String(answer.status), value: .object(done))]
            + endpoint.allProblems.map { status in
                JSONMember(
                    key: String(status),
                    value: ["$ref": .string("#/components/responses/Problem\(status)")])
            }
    }

    private static func problem(_ words: String, _ status: Int) -> JSONValue {
        [
            "description": .string(words),
            "content": [
                "application/problem+json": ["schema": Schema.named("Problem")]
            ],
        ]
    }

    /// What each problem status means for every call.
    static let problemWords: KeyValuePairs<Int, String> = [
        400: "A value is unknown, missing, or malformed; nothing was done.",
        401: "The token is missing or has expired, or nobody is logged in.",
        403:
            "The request came from another site or names another host, or its token does not allow "
            + "it.",
        404: "The path, or something that the call names, is unknown.",
        409: "A rule or the card's state forbids this, or another operation is in progress.",
        413: "The body is too large.",
        415: "The body is not JSON.",
        429:
            "Too many login attempts or unknown tokens. The Retry-After header gives the time to "
            + "wait.",
        500: "The call failed, or its outcome is unknown until the next tap.",
        502:
            "A service is offline, or its response was invalid; or the till's reader is not "
            + "connected to this server, so another server may be carrying out the operation.",
        503:
            "There is no reader, there are too many logins or pages, or the server is starting or "
            + "stopping.",
        504: "No card was tapped in time.",
    ]
}

extension Endpoint {
    /// The operation ID, such as "postTicketBuy".
    fileprivate var name: String {
        // The leading "api" and the version are left out.
        let parts = path.split { !$0.isLetter && !$0.isNumber }.dropFirst(
            path.hasPrefix("/api") ? 2 : 0)
        return method.lowercased()
            + parts.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}

extension Endpoint.Parameter {
    fileprivate var document: JSONValue {
        [
            "name": .string(name), "in": .string(isInPath ? "path" : "query"),
            "required": .bool(isRequired), "schema": schema,
        ]
    }
}
