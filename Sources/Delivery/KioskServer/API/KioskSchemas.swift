import TapcardCore
import TextCodecs
import Verbs

/// Schemas of the server, the reader and operations.
enum KioskSchemas {
    static let components: [(name: String, schema: JSONValue)] = [
        ("Problem", problem), ("Session", session), ("Settings", settings), ("Reader", reader),
        ("Lying", lying), ("Operation", operation), ("State", state), ("Gone", gone),
        ("Health", health), ("Deferral", deferral), ("Alive", Schema.object([:])),
    ]

    private static let problem = Schema.object([
        "type": Schema.pattern("^urn:tapcard:[a-z][a-z0-9-]*$"), "title": Schema.text,
        "status": Schema.number(400...599), "detail": Schema.text,
        "meaning": Schema.text, "advice": Schema.text,
        "error": Schema.pattern("^[a-z][a-z0-9-]*$"),
        "result": Schema.words(TapcardError.Result.allCases.map(\.rawValue)),
        "uid": Schema.orNull(ValueSchemas.card),
        "operation": Schema.orNull(ValueSchemas.operation), "settled": CardSchemas.settled,
        "next": CardSchemas.next,
    ])

    private static let session = Schema.object([
        "token": Schema.text, "cashier": Schema.orNull(Schema.text),
    ])

    private static let settings = Schema.object([
        "version": Schema.text, "currency": Schema.text, "symbol": Schema.text,
        "decimals": Schema.number(0...4), "decimalSeparator": Schema.words([".", ","]),
        "presets": Schema.object([
            "pay": Schema.list(of: Schema.named("Amount")),
            "add": Schema.list(of: Schema.named("Amount")),
        ]), "demoPace": Schema.truth, "login": Schema.words(["none", "password"]),
        "simulator": Schema.truth, "ticketPrice": Schema.orNull(Schema.named("Amount")),
        "counters": Schema.count, "loadsCards": Schema.truth,
    ])

    private static let reader = Schema.object([
        "state": Schema.words(["ready", "missing"]), "name": Schema.orNull(Schema.text),
        "problem": Schema.orNull(Schema.named("Problem")),
    ])

    /// The card on the reader. Without a session the reader is empty; with a session alone the card
    /// is being read.
    private static let lying = Schema.object([
        "session": Schema.orNull(Schema.count), "read": Schema.orNull(Schema.named("Card")),
        "problem": Schema.orNull(Schema.named("Problem")), "served": served,
    ])

    /// What the card has had, or may have had, since it was put on the reader.
    private static let served = Schema.object(
        members: VisitRequest.allCases.map { request in
            (
                request.rawValue, Schema.words(Visit.Certainty.allCases.map(\.rawValue)),
                isRequired: false
            )
        })

    private static let operation = Schema.object([
        "operation": ValueSchemas.operation, "verb": Schema.text,
        "client": Schema.orNull(ValueSchemas.operation),
        "phase": Schema.words(CounterOperation.Phase.allCases.map(\.rawValue)),
        "uid": Schema.orNull(ValueSchemas.card),
        "answer": Schema.orNull(["type": "object"]),
        "problem": Schema.orNull(Schema.named("Problem")),
    ])

    private static let state = Schema.object([
        "reader": Schema.named("Reader"), "card": Schema.orNull(Schema.named("Lying")),
        "operations": Schema.list(of: Schema.named("Operation")),
        "deferral": Schema.orNull(Schema.named("Deferral")),
    ])

    /// The ledger's reach, and purchases that are booked later; null where the ledger is there and
    /// the station defers none.
    private static let deferral = Schema.object([
        "outOfReach": Schema.truth, "offered": Schema.truth,
        "unsettled": Schema.named("Amount"), "purchases": Schema.count,
        "limit": Schema.named("Amount"), "left": Schema.named("Amount"),
        "snapshotAge": Schema.orNull(Schema.count), "settledAt": Schema.orNull(Schema.text),
    ])

    private static let gone = Schema.object(["session": Schema.count])

    private static let healthWords = Schema.words(
        CounterHealth.Status.allCases.reversed().map(\.rawValue))

    /// The reader is null for the house, where there are several counters.
    private static let health = Schema.object([
        "status": healthWords, "reader": Schema.orNull(Schema.named("Reader")),
        "counters": Schema.list(
            of: Schema.object([
                "number": Schema.number(1...Settings.mostReaders), "status": healthWords,
                "reader": Schema.named("Reader"),
            ])),
        "ledger": Schema.object([
            "state": Schema.words(["ready", "failed"]), "error": Schema.orNull(Schema.text),
            "why": Schema.orNull(Schema.text), "database": Schema.orNull(DatabaseReport.schema),
        ]),
        "deferral": Schema.orNull(Schema.named("Deferral")), "version": Schema.text,
    ])

    /// The names of the events, with the schemas of their data.
    static let events: KeyValuePairs<String, String> = [
        "state": "State", "reader": "Reader", "card": "Lying", "gone": "Gone",
        "operation": "Operation", "deferral": "Deferral", "alive": "Alive",
    ]
}
