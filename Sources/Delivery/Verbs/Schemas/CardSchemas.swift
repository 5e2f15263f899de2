import Ledger
import TapcardCore
import TapcardDomain
package import TextCodecs

/// Schemas of cards and of money that moved.
package enum CardSchemas {
    static let card = PrintedDocument.shown(
        [
            "uid": ValueSchemas.card, "chip": Schema.text,
            "seal": Schema.words(CardReading.Seal.allCases.map(\.rawValue)),
            "sequence": Schema.orNull(Schema.count),
            "id": Schema.orNull(Schema.number(1...Int.max)), "name": Schema.orNull(Schema.text),
            "balance": Schema.orNull(ValueSchemas.amount), "currency": Schema.text,
            "code": Schema.orNull(ValueSchemas.operation),
            "state": Schema.orNull(
                Schema.words(["unscratched", "scratched", "activating", "activated"])),
            "ledger": Schema.words(CardReading.Standing.allCases.map(\.rawValue)),
            "display": Schema.words(DisplayState.allCases.map(\.rawValue)),
            "protection": Schema.orNull(
                Schema.words([
                    "off", "setting-password", "switching-on", "on", "switching-off",
                    "clearing-password",
                ])),
            "originality": Schema.orNull(
                Schema.words(TagInfo.Originality.allCases.map(\.rawValue))),
            "ticket": Schema.orNull(ticket), "game": Schema.orNull(ValueSchemas.game),
            "operation": Schema.orNull(ValueSchemas.operation), "settled": settled,
        ],
        optional: givenUp + [
            "codeOf": ValueSchemas.card, "sameID": Schema.list(of: ValueSchemas.card),
            "closed": ValueSchemas.amount, "replayed": Schema.truth, "at": ValueSchemas.time,
        ])

    /// Tickets lost with the card's previous content; present only if there are any.
    static let givenUp: Members = ["ticketsGivenUp": Schema.list(of: ticket)]

    static let receipt: Members = [
        "operation": ValueSchemas.operation, "uid": ValueSchemas.card,
        "amount": ValueSchemas.signedAmount, "balance": ValueSchemas.amount,
        "currency": Schema.text, "sequence": Schema.count, "replayed": Schema.truth,
        "settled": settled,
    ]

    /// Operations that earlier taps left open and this tap settled.
    package static let settled = Schema.list(
        of: Schema.object(
            [
                "operation": ValueSchemas.operation,
                "kind": Schema.words(Operation.Kind.allCases.map(\.rawValue)),
                "amount": ValueSchemas.signedAmount,
                "outcome": Schema.words(["committed", "voided"]),
            ], optional: ["closed": ValueSchemas.amount]))

    /// The next steps in order, each with its word and values.
    package static let next = Schema.described(
        Schema.list(of: ValueSchemas.nextStep), "what to do next, one step after the other")

    static let ticket = Schema.object([
        "id": ValueSchemas.lotteryName, "draw": ValueSchemas.lotteryName,
        "balls": Schema.list(of: Schema.count), "bonus": Schema.count,
    ])
}
