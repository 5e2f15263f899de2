import TextCodecs
import Verbs

/// The server's own endpoints, in addition to the calls.
extension Endpoint {
    private static let base = CallRoutes.base
    private static let id = Parameter(
        name: "id", isInPath: true, isRequired: true, schema: ValueSchemas.givenID)

    static let settings = Endpoint(
        method: "GET", path: base + "settings", group: "page",
        summary: "Get the settings for the till page",
        answer: .json("The settings for the till page.", Schema.named("Settings")))

    static let confirmAddress = Endpoint(
        method: "POST", path: base + "settings", group: "page",
        summary: "Confirm the built-in address of a service, to allow requests to it",
        discussion: "Available only if no cashiers are set up. Otherwise returns 409 "
            + "operator-needed, and an operator must set the address on the command line. "
            + "So it does if other machines can reach the server, or if another address is set.",
        body: Body(
            schema: Schema.object(["setting": Schema.text, "address": Schema.text]),
            isRequired: true),
        needsToken: true,
        answer: Answer(status: 204, words: "The address is confirmed.", schema: nil),
        problems: [409])

    static let openSession = Endpoint(
        method: "POST", path: base + "session", group: "page",
        summary: "Create a token; if there are cashiers, by logging in",
        discussion: "If there are cashiers, the name and the password of one are needed.",
        body: Body(
            schema: Schema.object(
                [:],
                optional: [
                    "cashier": Schema.orNull(Schema.text), "password": Schema.orNull(Schema.text),
                ]), isRequired: false),
        answer: .json("The new token.", Schema.named("Session")), problems: [401, 429])

    static let closeSession = Endpoint(
        method: "DELETE", path: base + "session", group: "page",
        summary: "Invalidate the token of this request", needsToken: true,
        answer: Answer(status: 204, words: "The token is no longer valid.", schema: nil))

    static let events = Endpoint(
        method: "GET", path: base + "events", group: "live",
        summary: "Stream the events of the reader and of operations",
        discussion: "Server-sent events, each with a name and one line of JSON: "
            + TillSchemas.events.map { "\($0) (\($1))" }.joined(separator: ", ")
            + ". The first one, also after a reconnect, is state and contains everything. When a "
            + "client's last stream ends, its operations that are waiting or scratching are "
            + "canceled; all others finish.",
        parameters: [
            Parameter(name: "client", isInPath: false, isRequired: false, schema: id.schema)
        ],
        answer: Answer(
            words: "The stream ends when the client leaves or the server stops.",
            type: "text/event-stream", schema: Schema.text))

    static let card = Endpoint(
        method: "GET", path: base + "card", group: "live", summary: "Get the card on the reader",
        answer: .json("The card on the reader, or none.", Schema.named("CardOnReader")))

    static let operation = Endpoint(
        method: "GET", path: base + "operations/{id}", group: "operations",
        summary: "Get the state or result of an operation",
        discussion:
            "The latest operations are kept until the server stops; recorded ones are also in the "
            + "history.",
        parameters: [id], answer: .json("The state or result.", Schema.named("Operation")),
        problems: [404])

    static let stopOperation = Endpoint(
        method: "DELETE", path: base + "operations/{id}", group: "operations",
        summary: "Cancel an operation that is waiting or scratching",
        parameters: [id], needsToken: true,
        answer: .json(
            "The operation was canceled.", Schema.named("Operation"), status: 202),
        problems: [404, 409])

    static let health = Endpoint(
        method: "GET", path: base + "health", group: "watching",
        summary: "Get the state of reader and ledger",
        answer: .json("The state of reader and ledger, for each till.", Schema.named("Health")))

    static let metrics = Endpoint(
        method: "GET", path: "/metrics", group: "watching",
        summary: "Get counters for Prometheus",
        answer: Answer(
            words: "The counters since the server started.", type: "text/plain", schema: Schema.text
        ))

    static let document = Endpoint(
        method: "GET", path: "/api/openapi.json", group: "watching",
        summary: "Get this document",
        answer: .json("This document.", ["type": "object"]))
}
