import TextCodecs
import Verbs

/// The endpoints of the server itself, in addition to the calls.
extension Endpoint {
    private static let base = CallRoutes.base
    private static let id = Parameter(
        name: "id", isInPath: true, isRequired: true, schema: ValueSchemas.givenID)

    static let settings = Endpoint(
        method: "GET", path: base + "settings", group: "page",
        summary: "Get the settings for the till page",
        permission: .everyone,
        answer: .json("The settings for the till page.", Schema.named("Settings")))

    static let confirmAddress = Endpoint(
        method: "POST", path: base + "settings", group: "page",
        summary: "Confirm the built-in address of a service, to allow requests to it",
        discussion: "Available only if no cashiers are set up, no other machine can reach the "
            + "server, and no other address is set. Otherwise, it returns 409 operator-needed, "
            + "and an operator has to act on the command line.",
        body: Body(
            schema: Schema.object(["setting": Schema.text, "address": Schema.text]),
            isRequired: true),
        needsToken: true,
        permission: .owners,
        answer: Answer(status: 204, words: "The address is confirmed.", schema: nil),
        problems: [409])

    static let openSession = Endpoint(
        method: "POST", path: base + "session", group: "page",
        summary: "Create a token, with a login if any cashiers are set up",
        discussion: "If any cashiers are set up, a cashier's name and password are required.",
        body: Body(
            schema: Schema.object(
                [:],
                optional: [
                    "cashier": Schema.nullable(Schema.text),
                    "password": Schema.nullable(Schema.text),
                ]), isRequired: false),
        permission: .everyone, answer: .json("The new token.", Schema.named("Session")),
        problems: [401, 429])

    static let closeSession = Endpoint(
        method: "DELETE", path: base + "session", group: "page",
        summary: "Invalidate this request's token", needsToken: true,
        permission: .everyone,
        answer: Answer(status: 204, words: "The token is no longer valid.", schema: nil))

    static let giveConsent = Endpoint(
        method: "POST", path: base + "consent", group: "page",
        summary: "Consent, as a second person, to a call that the cashier may not make alone",
        discussion: "The name and the password are those of a person with a higher role. For "
            + "five minutes, this session may make the `call` (replace or refund) for this "
            + "`subject` (the UID of the lost card, or the ID of the payment).",
        body: Body(
            schema: Schema.object([
                "cashier": Schema.text, "password": Schema.text,
                "call": Schema.oneOf(Consents.subjects.keys.sorted()), "subject": Schema.text,
            ]), isRequired: true),
        needsToken: true, permission: .sellers,
        answer: Answer(status: 204, words: "The call is allowed.", schema: nil),
        problems: [401, 429])

    static let events = Endpoint(
        method: "GET", path: base + "events", group: "live",
        summary: "Stream reader and operation events",
        discussion: "Server-sent events, each with a name and one line of JSON: "
            + TillSchemas.events.map { "\($0) (\($1))" }.joined(separator: ", ")
            + ". The first event, even after a reconnect, is `state`, which contains everything. "
            + "When a client's last stream ends, those of its operations that are waiting for a "
            + "card or scratching one are canceled; all others finish.",
        parameters: [
            Parameter(name: "client", isInPath: false, isRequired: false, schema: id.schema)
        ],
        permission: .sellers,
        answer: Answer(
            words: "The stream ends when the client disconnects or the server stops.",
            type: "text/event-stream", schema: Schema.text))

    static let displayEvents = Endpoint(
        method: "GET", path: base + SharedCall.display.rawValue, group: "live",
        summary: "Stream what the customer may see",
        discussion: "Server-sent events: display (Display), first the current one, and alive "
            + "(Alive). They never include card numbers or names. Programs on this machine need "
            + "no login, and others an API token for `display` or a session.",
        permission: .sellers,
        answer: Answer(
            words: "The stream ends when the client disconnects, its token becomes invalid, or the "
                + "server stops.", type: "text/event-stream", schema: Schema.text),
        problems: [429])

    static let showSale = Endpoint(
        method: "POST", path: base + "display", group: "live",
        summary: "Show a sale on the customer's display",
        discussion: "The sale replaces the one before. Without a `sum`, there is no sale. The sale "
            + "is only shown: it charges nothing.",
        body: Body(
            schema: Schema.object(
                [:],
                optional: [
                    "lines": Schema.list(of: CustomerDisplay.Sale.lineSchema),
                    "sum": Schema.nullable(Schema.named("Amount")),
                ]), isRequired: false),
        needsToken: true, permission: .sellers,
        answer: Answer(status: 204, words: "The sale is shown.", schema: nil))

    static let taps = Endpoint(
        method: "GET", path: base + "taps", group: "live",
        summary: "Stream tap events",
        discussion:
            "Server-sent events: tap (TapEvent) when a tag arrives or leaves, and alive (Alive). "
            + "If a tag is already on the reader, the stream starts with its arrival. Events never "
            + "include names or balances.",
        permission: .sellers,
        answer: Answer(
            words: "The stream ends when the client disconnects, its token becomes invalid, or the "
                + "server stops.", type: "text/event-stream", schema: Schema.text),
        problems: [429])

    static let card = Endpoint(
        method: "GET", path: base + "card", group: "live", summary: "Get the card on the reader",
        permission: .sellers,
        answer: .json("The card on the reader, or none.", Schema.named("CardOnReader")))

    static let operation = Endpoint(
        method: "GET", path: base + "operations/{id}", group: "operations",
        summary: "Get the state or result of an operation",
        discussion:
            "The latest operations are kept until the server stops. Recorded operations are also "
            + "in the history.",
        parameters: [id], permission: .sellers,
        answer: .json("The state or result.", Schema.named("Operation")),
        problems: [404, 502])

    static let stopOperation = Endpoint(
        method: "DELETE", path: base + "operations/{id}", group: "operations",
        summary: "Cancel an operation that is waiting for a card or scratching one",
        parameters: [id], needsToken: true,
        permission: .sellers,
        answer: .json(
            "The operation was canceled.", Schema.named("Operation"), status: 202),
        problems: [404, 409, 502])

    static let armed = Endpoint(
        method: "GET", path: base + "armed", group: "live", summary: "Get the armed sale",
        permission: .sellers, answer: .json("The armed sale, or none.", armedSchema))

    static let arm = Endpoint(
        method: "POST", path: base + "armed", group: "live",
        summary: "Arm a sale, so that the next arriving card pays it",
        discussion: "The other members are those of the call `verb`. A card arrives if the reader "
            + "was empty for at least 1 second and the card is seen after arming. The sale is "
            + "disarmed after 30 seconds, when the client's last stream ends, when another sale is "
            + "armed, by any other operation at the reader, and by any card change that is no "
            + "clean arrival. The payment has the same operation ID.",
        body: Body(
            schema: Schema.object(
                ["operation": ValueSchemas.operation, "client": ValueSchemas.operation],
                optional: [
                    "verb": Schema.nullable(Schema.oneOf(TillCall.armable.map(\.path))),
                    "amount": Schema.named("Amount"),
                    "lines": Schema.list(of: ["type": "object"]),
                    "rest": Schema.nullable(["type": "object"]),
                ]), isRequired: true),
        needsToken: true, permission: .sellers, answer: .json("The sale is armed.", armedSchema),
        problems: [409])

    static let disarm = Endpoint(
        method: "DELETE", path: base + "armed", group: "live",
        summary: "Disarm the armed sale",
        discussion: "If `operation` is given, the sale with this ID is not armed again, even if "
            + "the request to arm it arrives later.",
        parameters: ["operation", "client"].map {
            Parameter(name: $0, isInPath: false, isRequired: false, schema: id.schema)
        }, needsToken: true, permission: .sellers,
        answer: .json("No sale is armed.", armedSchema), problems: [409, 502])

    private static let armedSchema = Schema.object(
        ["armed": Schema.nullable(Schema.named("Armed"))])

    static let health = Endpoint(
        method: "GET", path: base + "health", group: "monitoring",
        summary: "Get the state of the reader and the ledger",
        permission: .everyone,
        answer: .json(
            "The state of each till's reader and of the ledger.", Schema.named("Health")))

    static let metrics = Endpoint(
        method: "GET", path: "/metrics", group: "monitoring",
        summary: "Get counters for Prometheus",
        permission: .owners,
        answer: Answer(
            words: "The counters since the server started.", type: "text/plain", schema: Schema.text
        ))

    static let document = Endpoint(
        method: "GET", path: "/api/openapi.json", group: "monitoring",
        summary: "Get this document",
        permission: .everyone, answer: .json("This document.", ["type": "object"]))
}
