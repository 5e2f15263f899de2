import TapcardCore
import TapcardDomain
import TextCodecs

/// Schemas for draws and tickets, with their age.
enum LotterySchemas {
    static let draws = PrintedDocument.done(aged(["draws": [PricedDraw].schema]))

    static let draw = PrintedDocument.done(
        aged([
            "draw": PricedDraw.schema, "next": DrawID?.schema,
            "previous": DrawID?.schema,
        ]))

    static let tickets = PrintedDocument.shown(aged(sections))

    static let check = PrintedDocument.shown(
        aged(["uid": ValueSchemas.card, "resolved": CardSchemas.resolved] + sections))

    static let claim = PrintedDocument.shown(aged(PrizeReceipt.fields.required))

    /// Adds the response's age in seconds, and the reason there is no newer response.
    private static func aged(_ members: Members) -> Members {
        ["age": Schema.count] + members + [
            "stale": Schema.nullable(ValueSchemas.serviceError)
        ]
    }

    private static let sections: Members = [
        "upcoming": [ShownTicket].schema, "drawn": [ShownTicket].schema,
    ]
}
