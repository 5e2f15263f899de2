import StationFiles
import TapcardCore
import TextCodecs
import Verbs

/// Schemas for the server, the reader, and operations.
enum TillSchemas {
    static let components: [(name: String, schema: JSONValue)] = [
        ("Problem", problem), ("Session", session), ("Settings", settings), ("Reader", reader),
        ("CardOnReader", cardOnReader), ("Operation", operation), ("State", state), ("Gone", gone),
        ("Armed", armed),
        ("Health", health), ("OfflinePayments", offlinePayments), ("Alive", Schema.object([:])),
        ("Printer", printer),
        ("Display", CustomerDisplay.schema),
    ]

    private static let problem = Schema.object([
        "type": Schema.pattern("^urn:tapcard:[a-z][a-z0-9-]*$"), "title": Schema.text,
        "status": Schema.number(400...599), "detail": Schema.text,
        "meaning": Schema.text, "advice": Schema.text,
        "error": Schema.pattern("^[a-z][a-z0-9-]*$"),
        "result": Schema.oneOf(TapcardError.Result.allCases.map(\.rawValue)),
        "uid": Schema.nullable(ValueSchemas.card),
        "operation": Schema.nullable(ValueSchemas.operation), "resolved": CardSchemas.resolved,
        "next": CardSchemas.next,
    ])

    private static let session = Schema.object(
        ["token": Schema.text, "cashier": Schema.nullable(Schema.text)] + permissions)

    /// The cashier's role, null if no login is needed, and the calls that they may make, alone or
    /// with the consent of a second person.
    private static let permissions: Members = [
        "role": Schema.nullable(Schema.oneOf(CashierRole.allCases.map(\.rawValue))),
        "may": Schema.list(of: Schema.text), "mayWithConsent": Schema.list(of: Schema.text),
    ]

    private static let settings = Schema.object([
        "version": Schema.text, "currency": Schema.text, "symbol": Schema.text,
        "decimals": Schema.number(0...4), "decimalSeparator": Schema.oneOf([".", ","]),
        "presets": Schema.object([
            "add": Schema.list(of: Schema.named("Amount"))
        ]), "express": Schema.boolean, "services": Schema.list(of: Schema.text),
        "demoPace": Schema.boolean, "login": Schema.oneOf(["none", "password"]),
        "simulator": Schema.boolean, "chips": Schema.list(of: Schema.text),
        "ticketPrice": Schema.nullable(Schema.named("Amount")),
        "tills": Schema.count, "printsReceipts": Schema.boolean,
        "shiftRequired": Schema.boolean, "cashStep": Schema.named("Amount"),
        "serverAddress": Schema.nullable(Schema.text),
    ])

    private static let reader = Schema.object([
        "state": Schema.oneOf(["ready", "missing"]), "name": Schema.nullable(Schema.text),
        "problem": Schema.nullable(Schema.named("Problem")), "line": Schema.nullable(line),
    ])

    /// Whether the machine with the till's reader is connected to this server, and when it last
    /// sent a message. Null if the reader is on the server's machine.
    private static let line = Schema.object([
        "attached": Schema.boolean, "lastSeen": Schema.nullable(ValueSchemas.time),
    ])

    /// The card on the reader. If there is no session, the reader is empty. If there is a session
    /// but no reading and no problem, the card is being read.
    private static let cardOnReader = Schema.object([
        "session": Schema.nullable(Schema.count), "read": Schema.nullable(Schema.named("Card")),
        "problem": Schema.nullable(Schema.named("Problem")), "served": served,
    ])

    /// What has, or may have, been done for the card since it was put on the reader.
    private static let served = Schema.object(
        members: VisitRequest.allCases.map { request in
            (
                request.rawValue, Schema.oneOf(Visit.Certainty.allCases.map(\.rawValue)),
                isRequired: false
            )
        })

    private static let operation = Schema.object([
        "operation": ValueSchemas.operation, "verb": Schema.text,
        "client": Schema.nullable(ValueSchemas.operation),
        "phase": Schema.oneOf(TillOperation.Phase.allCases.map(\.rawValue)),
        "uid": Schema.nullable(ValueSchemas.card),
        "answer": Schema.nullable(["type": "object"]),
        "problem": Schema.nullable(Schema.named("Problem")),
    ])

    private static let state = Schema.object(
        [
            "till": Schema.nullable(Schema.text), "makesCards": Schema.boolean,
            "reader": Schema.named("Reader"), "card": Schema.nullable(Schema.named("CardOnReader")),
            "armed": Schema.nullable(Schema.named("Armed")),
            "operations": Schema.list(of: Schema.named("Operation")),
            "offlinePayments": Schema.nullable(Schema.named("OfflinePayments")),
            "printer": Schema.nullable(Schema.named("Printer")),
        ] + permissions)

    /// The receipt printer and why the last receipt was not printed. Null if no printer is set.
    private static let printer = Schema.object([
        "state": Schema.oneOf(["ready", "failed"]), "why": Schema.nullable(Schema.text),
    ])

    /// Whether the ledger is offline, and the state of offline payments. Null if the ledger is
    /// online and the station does not accept offline payments.
    private static let offlinePayments = Schema.object([
        "offline": Schema.boolean, "offered": Schema.boolean,
        "unbooked": Schema.named("Amount"), "payments": Schema.count,
        "limit": Schema.named("Amount"), "left": Schema.named("Amount"),
        "snapshotAge": Schema.nullable(Schema.count), "bookedAt": Schema.nullable(Schema.text),
    ])

    /// The armed sale. After it has ended, only its ID and the reason are given.
    private static let armed = Schema.object([
        "operation": Schema.nullable(ValueSchemas.operation),
        "client": Schema.nullable(ValueSchemas.operation), "verb": Schema.nullable(Schema.text),
        "request": Schema.nullable(["type": "object"]),
        "ended": Schema.nullable(Schema.oneOf(Arming.End.allCases.map(\.rawValue))),
        "card": Schema.nullable(ValueSchemas.card),
    ])

    private static let gone = Schema.object(["session": Schema.count])

    private static let healthWords = Schema.oneOf(
        TillHealth.Status.allCases.reversed().map(\.rawValue))

    /// `reader` is null in the health report for a server with several tills. `elsewhere` means
    /// that the till's reader was last attached to another server.
    private static let health = Schema.object([
        "status": healthWords, "reader": Schema.nullable(Schema.named("Reader")),
        "tills": Schema.list(
            of: Schema.object([
                "number": Schema.count, "name": Schema.nullable(Schema.text),
                "status": healthWords, "reader": Schema.named("Reader"),
                "elsewhere": Schema.boolean,
            ])),
        "ledger": Schema.object([
            "state": Schema.oneOf(["ready", "failed"]), "error": Schema.nullable(Schema.text),
            "why": Schema.nullable(Schema.text), "database": Schema.nullable(DatabaseReport.schema),
        ]),
        "printer": Schema.nullable(Schema.named("Printer")),
        "offlinePayments": Schema.nullable(Schema.named("OfflinePayments")), "version": Schema.text,
    ])

    /// The names of the events and of their data's schemas.
    static let events: KeyValuePairs<String, String> = [
        "state": "State", "reader": "Reader", "card": "CardOnReader", "gone": "Gone",
        "armed": "Armed", "operation": "Operation", "offlinePayments": "OfflinePayments",
        "printer": "Printer", "alive": "Alive",
    ]
}
