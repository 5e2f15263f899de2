import ServicePorts
import TextCodecs

/// Schemas of draws and tickets, with their age.
enum LotterySchemas {
    static let draws = PrintedDocument.done(aged(["draws": Schema.list(of: oneDraw)]))

    static let draw = PrintedDocument.done(
        aged([
            "draw": oneDraw, "next": Schema.orNull(ValueSchemas.lotteryName),
            "previous": Schema.orNull(ValueSchemas.lotteryName),
        ]))

    static let tickets = PrintedDocument.shown(aged(sections))

    static let check = PrintedDocument.shown(
        aged(["uid": ValueSchemas.card, "settled": CardSchemas.settled] + sections))

    static let claim = PrintedDocument.shown(
        aged([
            "uid": ValueSchemas.card,
            "prizes": Schema.list(
                of: Schema.object([
                    "ticket": ValueSchemas.lotteryName, "draw": ValueSchemas.lotteryName,
                    "operation": ValueSchemas.operation, "amount": ValueSchemas.amount,
                    "replayed": Schema.truth, "paidOut": Schema.truth,
                ])), "balance": ValueSchemas.amount, "currency": Schema.text,
            "replayed": Schema.truth, "settled": CardSchemas.settled,
        ]))

    /// Adds the seconds since the request, and the reason why it was not repeated.
    private static func aged(_ members: Members) -> Members {
        ["age": Schema.count] + members + [
            "stale": Schema.orNull(Schema.words(ServiceError.Kind.allCases.map(\.rawValue))),
            "notes": Schema.list(of: Schema.text),
        ]
    }

    private static let oneDraw = Schema.object([
        "id": ValueSchemas.lotteryName, "date": ValueSchemas.day,
        "balls": Schema.list(of: Schema.count), "bonus": Schema.count,
        "topPrize": ValueSchemas.amount,
    ])

    private static let sections: Members = [
        "upcoming": Schema.list(of: ticket), "drawn": Schema.list(of: ticket),
    ]

    private static let ticket = Schema.object([
        "id": ValueSchemas.lotteryName, "draw": ValueSchemas.lotteryName,
        "balls": Schema.list(of: ball), "bonus": ball, "won": Schema.orNull(Schema.truth),
        "prize": Schema.orNull(ValueSchemas.amount), "claimed": Schema.orNull(Schema.truth),
        "claim": Schema.orNull(Schema.words(ShownTicket.Claim.allCases.map(\.rawValue))),
        "date": Schema.orNull(ValueSchemas.day), "uid": Schema.orNull(ValueSchemas.card),
    ])

    private static let ball = Schema.object([
        "number": Schema.count, "match": Schema.orNull(Schema.words(["yes", "no"])),
    ])
}
