import TextCodecs
import Verbs

/// The server's own endpoints, next to the calls.
extension Endpoint {
    private static let base = CallRoutes.base
    private static let id = Parameter(
        name: "id", isInPath: true, isRequired: true, schema: ValueSchemas.givenID)

    static let settings = Endpoint(
        method: "GET", path: base + "settings", group: "page",
        summary: "What a page has to know before anything is done",
        answer: .json("The settings.", Schema.named("Settings")))

    static let confirmAddress = Endpoint(
        method: "POST", path: base + "settings", group: "page",
        summary: "Confirm a service's built-in address to allow requests to it",
        discussion: "Available only if no cashiers are set up. Otherwise returns 409 "
            + "operator-needed, and an operator must set the address on the command line. "
            + "So it does if other machines can reach the server, or if another address is set.",
        body: Body(
            schema: Schema.object(["setting": Schema.text, "address": Schema.text]),
            isRequired: true),
        needsToken: true,
        answer: Answer(status: 204, words: "It is confirmed.", schema: nil), problems: [409])

    static let openSession = Endpoint(
        method: "POST", path: base + "session", group: "page",
        summary: "Give a token for what changes something",
        discussion: "Where there are cashiers, to whoever logs in as one of them.",
        body: Body(
            schema: Schema.object(
                [:],
                optional: [
                    "cashier": Schema.orNull(Schema.text), "password": Schema.orNull(Schema.text),
                ]), isRequired: false),
        answer: .json("The token.", Schema.named("Session")), problems: [401, 429])

    static let closeSession = Endpoint(
        method: "DELETE", path: base + "session", group: "page",
        summary: "Forget the token that this request carries", needsToken: true,
        answer: Answer(status: 204, words: "It is forgotten.", schema: nil))

    static let events = Endpoint(
        method: "GET", path: base + "events", group: "live",
        summary: "Follow the reader and the operations as they go",
        discussion: "Server-sent events, each a name and a line of JSON: "
            + TillSchemas.events.map { "\($0) (\($1))" }.joined(separator: ", ")
            + ". The first one is state, with all that is known; so it is after a reconnection. "
            + "When the last stream of a client has ended, what it has asked for and still waits "
            + "for a card, or scratches one, is stopped; all else runs to its end.",
        parameters: [
            Parameter(name: "client", isInPath: false, isRequired: false, schema: id.schema)
        ],
        answer: Answer(
            words: "It goes on until the client leaves or the till is closed.",
            type: "text/event-stream", schema: Schema.text))

    static let card = Endpoint(
        method: "GET", path: base + "card", group: "live", summary: "Tell what lies on the reader",
        answer: .json("The card, or that there is none.", Schema.named("Lying")))

    static let operation = Endpoint(
        method: "GET", path: base + "operations/{id}", group: "operations",
        summary: "Tell how far an operation is, or what came of it",
        discussion: "The latest ones are known until the till is closed; all that was booked is "
            + "in the history.",
        parameters: [id], answer: .json("The operation.", Schema.named("Operation")),
        problems: [404])

    static let stopOperation = Endpoint(
        method: "DELETE", path: base + "operations/{id}", group: "operations",
        summary: "Stop an operation that waits for a card or scratches one",
        parameters: [id], needsToken: true,
        answer: .json(
            "Stopped; it will not happen.", Schema.named("Operation"), status: 202),
        problems: [404, 409])

    static let health = Endpoint(
        method: "GET", path: base + "health", group: "watching",
        summary: "Tell whether reader and ledger work, here and at each till",
        answer: .json("How it is.", Schema.named("Health")))

    static let metrics = Endpoint(
        method: "GET", path: "/metrics", group: "watching",
        summary: "Counts since the start, in the text format of Prometheus",
        answer: Answer(words: "The counts.", type: "text/plain", schema: Schema.text))

    static let document = Endpoint(
        method: "GET", path: "/api/openapi.json", group: "watching",
        summary: "This document",
        answer: .json("An OpenAPI document.", ["type": "object"]))
}
