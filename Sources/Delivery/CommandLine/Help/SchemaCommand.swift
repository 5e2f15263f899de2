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
    fileprivate func schema() throws(TapcardError) -> Report {
        let (words, verbs) = (try self[.verb], verbs())
        let command = verbs.first { $0.spec.path == words }
        if command == nil, !words.isEmpty {
            throw Session.noVerb(words, verbs.filter { $0.spec.path.starts(with: words) })
        }
        let schema = PrintedDocuments.schema(of: command)
        return Report(["schema": schema], [schema.prettyText], isPlain: true)
    }

    /// The refusal of words without a document; for a group it names the verbs that have one.
    private static func noVerb(_ words: [String], _ group: [Command]) -> TapcardError {
        let word = words.joined(separator: " ").debugDescription
        return group.isEmpty
            ? TapcardError.usage(
                "tapcard has no verb \(word).", advice: "tapcard --help lists them.")
            : TapcardError.usage(
                "\(word) is a group of verbs.",
                advice: "Name one of them: "
                    + group.map { "tapcard schema \($0.words)" }.joined(separator: ", ") + ".")
    }
}
