import TapcardDomain
import TextCodecs
import Verbs

/// The OpenAPI document of this server, made from the same tables as its routes.
struct APIDocument: Sendable {
    let endpoints: [Endpoint]
    let currency: Currency
    let cookieName: String
    /// How many tills there are.
    let tills: Int

    var value: JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "tapcard serve", "version": .string(Release.version),
                "summary": "A till for value cards: the reader, the ledger and the services.",
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

    /// The root; where there are several tills, the path of one.
    private var server: JSONValue {
        guard tills > 1 else { return ["url": "/"] }
        return [
            "url": .string(TillPath.template),
            "variables": [
                "till": [
                    "enum": .array((1...tills).map { .string(String($0)) }), "default": "1",
                    "description": "The till, in the order of the readers.",
                ]
            ],
        ]
    }

    private static let overview = """
        Amounts are decimals in texts, times are in UTC, and every member is always there: null \
        where it is not known. Whatever is refused is answered with a problem document (RFC 9457) \
        that says what happened, what it means for card and money, and what to do.

        What changes something needs a token, in the header Authorization: Bearer. Where there are \
        cashiers, what is only looked at needs it, too, or the cookie that comes with it. A change \
        may carry \
        the id of an operation: under the same id nothing happens twice, so that a request may be \
        sent again when its answer is lost. Where a card is needed, the answer comes when it was \
        there, or after the wait with the status 504.
        """

    /// All schemas that other schemas refer to.
    var schemas: [(name: String, schema: JSONValue)] {
        ValueSchemas.components(currency)
            + PrintedDocument.allCases.filter(isAnswered).map { ($0.rawValue, $0.schema) }
            + TillSchemas.components
    }

    private func isAnswered(_ document: PrintedDocument) -> Bool {
        (TillCall.all + TillCall.simulator).contains { $0.answer == document }
    }

    private var paths: [JSONMember] {
        var paths: [JSONMember] = []
        for endpoint in endpoints {
            let operation = JSONMember(
                key: endpoint.method.lowercased(), value: members(of: endpoint).object)
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
            done.append(
                JSONMember(
                    key: "content",
                    value: .object([JSONMember(key: answer.type, value: ["schema": schema])])))
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

    /// The meaning of each status of a refusal, for every call.
    static let problemWords: KeyValuePairs<Int, String> = [
        400: "A value is unknown to this call, missing or malformed: nothing was done.",
        401: "The token is missing, or is not known any more; or nobody is logged in by it.",
        403: "The request does not come from this page.",
        404: "There is nothing by this name.",
        409: "The rules, the card or another operation stand in the way.",
        413: "The body is too long.",
        415: "The body is not JSON.",
        429: "Somebody has tried to log in too often: Retry-After says when to try again.",
        500: "It failed, or what became of it is not known: the next tap resolves it.",
        502: "A service is offline, or did not answer properly.",
        503: "There is no reader, too many are logging in, or the till is being closed.",
        504: "No card came in time.",
    ]
}

extension Endpoint {
    /// The operation id, such as "postTicketBuy".
    fileprivate var name: String {
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
