import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs

/// Schemas for a Mastermind game.
enum MastermindSchemas {
    private static let slots = Schema.number(1...MastermindRules.maximumSlots)

    static let login = PrintedDocument.done([
        "user": Schema.text, "timeToLive": Schema.nullable(Schema.count),
    ])

    static let game = PrintedDocument.shown(
        SavedMastermindGame.fields.required
            + ["uid": CardUID?.schema, "resolved": CardSchemas.resolved])

    static let guess = PrintedDocument.done([
        "game": ValueSchemas.game, "black": Schema.count, "white": Schema.count,
        "guesses": Schema.count, "slots": slots, "solved": Schema.boolean,
    ])

    /// The current game with all its turns; `game` is null if there is none.
    static let board: JSONValue = [
        "anyOf": [
            PrintedDocument.shown(["user": String?.schema, "game": Schema.null]),
            PrintedDocument.shown(
                ["user": String?.schema] + SavedMastermindGame.fields.required + [
                    "colors": Schema.number(2...MastermindRules.maximumColors),
                    "turns": [MastermindTurn].schema,
                ]),
        ]
    ]

    static let ranking = PrintedDocument.shown(["ranking": [MastermindRank].schema])
}
