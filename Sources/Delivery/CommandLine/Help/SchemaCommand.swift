import StyledText
import TapcardCore
import TextCodecs
import Verbs

extension Parameter<[String]> {
    fileprivate static var verb: Self {
        .arguments("VERB", .verb, "Such as pay, or tag info", isRequired: false)
    }
}

extension Command {
    static let schema =
        Command(
            "schema", group: .station, "Print the JSON schema of what a verb prints with --json",
            discussion: "JSON Schema, draft 2020-12. Without a verb, that of all of them. "
                + "`tapcard serve` describes the counter page's API at /api/openapi.json.",
            takes: .verb, answers: .schema, example: "tapcard schema pay"
        ) { session throws(TapcardError) in try session.schema() }
}

extension Session {
    /// The refusal of a word without a document; for a group it names the verbs that have one.
    private static func noVerb(_ word: String, _ group: [CommandSpec]) -> TapcardError {
        let verbs = group.map { "tapcard schema " + $0.path.joined(separator: " ") }
        return verbs.isEmpty
            ? TapcardError.usage(
                "tapcard has no verb \(word.debugDescription).",
                advice: "tapcard --help lists them.")
            : TapcardError.usage(
                "\(word.debugDescription) is a group of verbs.",
                advice: "Name one of them: \(verbs.joined(separator: ", ")).")
    }

    fileprivate func schema() throws(TapcardError) -> Report {
        let words = try self[.verb]
        let verb = words.isEmpty ? nil : words.joined(separator: " ")
        let table = CommandTable.tapcard(verbs())
        if let verb, table.command(at: words) == nil {
            throw Session.noVerb(verb, table.commands(below: words))
        }
        let schema = PrintedDocuments(verbs()).schema(for: verb)
        return Report(["schema": schema], [schema.prettyText], isPlain: true)
    }
}
