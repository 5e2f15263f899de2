import Games
import TextCodecs

/// Schemas of a Mastermind game.
enum MastermindSchemas {
    private static let slots = Schema.number(1...MastermindRules.mostSlots)

    static let login = PrintedDocument.done([
        "user": Schema.text, "timeToLive": Schema.orNull(Schema.count),
    ])

    static let game = PrintedDocument.done([
        "game": ValueSchemas.game, "slots": slots, "guesses": Schema.count,
        "solved": Schema.truth, "uid": Schema.orNull(ValueSchemas.card),
        "settled": CardSchemas.settled,
    ])

    static let guess = PrintedDocument.done([
        "game": ValueSchemas.game, "black": Schema.count, "white": Schema.count,
        "guesses": Schema.count, "slots": slots, "solved": Schema.truth,
    ])

    private static let user = Schema.orNull(Schema.text)

    /// The current game with all turns; null for none.
    static let board: JSONValue = [
        "anyOf": [
            PrintedDocument.shown(["user": user, "game": Schema.null]),
            PrintedDocument.shown([
                "user": user, "game": ValueSchemas.game, "slots": slots, "guesses": Schema.count,
                "colours": Schema.number(2...MastermindRules.mostColours),
                "solved": Schema.truth,
                "turns": Schema.list(
                    of: Schema.object([
                        "guess": Schema.list(of: Schema.count),
                        "number": Schema.orNull(Schema.count),
                        "black": Schema.orNull(Schema.count),
                        "white": Schema.orNull(Schema.count),
                    ])),
            ]),
        ]
    ]

    static let ranking = PrintedDocument.shown([
        "ranking": Schema.list(
            of: Schema.object([
                "name": Schema.text, "score": Schema.count, "slots": Schema.count,
                "time": Schema.text, "participant": Schema.text, "id": Schema.text,
                "icons": Schema.list(of: Schema.text),
            ]))
    ])
}
