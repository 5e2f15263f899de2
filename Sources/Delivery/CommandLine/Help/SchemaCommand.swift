import TapcardCore
import TextCodecs
import Verbs

extension Parameter<[String]> {
    fileprivate static var verb: Self {
        .arguments(
            "VERB", .verb, "Verb, such as `pay` or `keys list` (default: all verbs)",
            isRequired: false)
    }
}

extension Command {
    static let schema =
        Command(
            "schema", group: .station, "Print the JSON Schema for a verb's --json output",
            discussion: "The schema follows draft 2020-12. For the till page's HTTP API, see "
                + "`/api/openapi.json`, which `tapcard serve` provides.",
            takes: .verb, answers: .schema, example: "tapcard schema pay", run: SchemaCommand.schema
        )
}

enum SchemaCommand {
    static func schema(in session: Session) async throws(TapcardError) -> Report {
        let (words, verbs) = (session[.verb], session.verbs())
        let command = verbs.first { $0.spec.path == words }
        if command == nil, !words.isEmpty {
            throw noVerb(words, verbs.filter { $0.spec.path.starts(with: words) })
        }
        let schema = PrintedDocuments.schema(of: command)
        return Report(["schema": schema], [schema.prettyText], isPlain: true)
    }

    /// The usage error for words that are not a verb. For a group of verbs, it lists the full
    /// `tapcard schema GROUP VERB` commands.
    private static func noVerb(_ words: [String], _ group: [Command]) -> TapcardError {
        let word = words.joined(separator: " ").debugDescription
        return group.isEmpty
            ? TapcardError.usage(
                "tapcard has no verb \(word).", advice: "Run tapcard --help to see all verbs.")
            : TapcardError.usage(
                "The word \(word) names a group of verbs.",
                advice: "Run one of these: "
                    + group.map { "tapcard schema \($0.words)" }.joined(separator: ", ") + ".")
    }
}
