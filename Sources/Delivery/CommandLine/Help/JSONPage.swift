import TapcardCore
import TextCodecs
import Verbs

/// The content of docs/JSON.md, made from the table of documents so that the two cannot differ.
struct JSONPage {
    private let verbs: [Command]
    private let documents: PrintedDocuments

    init(_ verbs: [Command]) { (self.verbs, documents) = (verbs, PrintedDocuments(verbs)) }

    var markdown: String {
        let documents = documents.rows.map(section)
        let parts =
            [JSONPage.intro, verbTable, "## Documents"] + documents + [
                JSONPage.values, JSONPage.errors,
            ]
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static let intro = """
        # What tapcard prints with --json

        This page is for whoever writes a program around the command line. `make docs` makes it from the \
        same schemas as the API's OpenAPI document; `tapcard schema VERB` prints them as JSON Schema.

        Every verb prints one document on one line of standard output, also where it fails; `read --watch` \
        prints one for each tap, until it is stopped. Only help and `--version` are text all the same. The first member is `result`: `"done"`, or one of the \
        results below, and then `error`, `message` and `next` say why, and what to do. A card that is shown \
        although something is wrong with it has them, too. The document is in UTF-8 in every locale.

        Amounts are decimals in texts, in the currency that stands beside them, never numbers that a \
        program could round. Times are in UTC. A member is always there, and null where it is not known, \
        unless it is marked as optional. Later versions may add members: pass over those that you do not know.

        `next` says what to do next, one step after the other, for a program to act on: a word, and \
        the values that the step needs. Pass over a step that you do not know: `message` has it in words.

        `operation` is what makes a retry safe: the same verb with `--operation` and that id never happens \
        twice, and is answered with `replayed` true where it has happened before. It is in every receipt, and \
        in an error where something may have been begun; `already-refunded` and `operation-mismatch` name the \
        earlier operation.

        ## Exit status

        The exit status says the same as `result` (see Errors). Two things are decided otherwise:

        - \(Topic.unwritableOutput)
        - \(Topic.endedBySignal)
        """

    private var verbTable: String {
        let rows = verbs.map { command in
            let verb = command.words
            let names = documents.names(for: verb).map(JSONPage.link).joined(separator: ", ")
            return "| `\(verb)` | \(names) |"
        }
        return (["## Verbs", "", "| verb | documents |", "|---|---|"] + rows)
            .joined(separator: "\n")
    }

    private static func link(_ name: String) -> String { "[\(name)](#\(name.lowercased()))" }

    private func section(_ row: PrintedDocuments.Row) -> String {
        let verbs = documents.verbs(printing: row.name).map { "`\($0)`" }
        let printed =
            row.name == PrintedDocuments.error
            ? "Printed by every verb that fails."
            : "Printed by \(verbs.joined(separator: ", "))."
        let kinds = row.schema["anyOf"]?.array ?? [row.schema]
        return (["### \(row.name)", printed] + kinds.map(JSONPage.table)).joined(separator: "\n\n")
    }

    private static func table(_ schema: JSONValue) -> String {
        let rows = lines(of: schema, below: "").map { line in
            "| `\(line.path)` | \(line.type) | \(line.words) |"
        }
        return (["| member | value | |", "|---|---|---|"] + rows).joined(separator: "\n")
    }

    private typealias Row = (path: String, type: String, words: String)

    private static func lines(of object: JSONValue, below path: String) -> [Row] {
        let required = Set(object["required"]?.array?.compactMap(\.string) ?? [])
        return (object["properties"]?.members ?? []).flatMap { member -> [Row] in
            let name = path + member.key
            let optional = required.contains(member.key) ? "" : "optional: "
            let row = (
                name, optional + type(of: member.value),
                member.value["description"]?.string ?? MemberWords.all[member.key] ?? ""
            )
            guard let (inner, mark) = inside(member.value) else { return [row] }
            return [row] + lines(of: inner, below: "\(name)\(mark).")
        }
    }

    /// The object that a member consists of, and the mark that leads to its own members.
    private static func inside(_ schema: JSONValue) -> (JSONValue, mark: String)? {
        if let either = schema["anyOf"]?.array {
            return either.compactMap(inside).first
        }
        if let element = schema["items"] { return inside(element).map { ($0.0, "[]" + $0.mark) } }
        return schema["properties"] == nil ? nil : (schema, "")
    }

    private static func type(of schema: JSONValue) -> String {
        if let name = schema["$ref"].flatMap(Schema.name) { return link(name) }
        if let either = schema["anyOf"]?.array {
            return either.map(type).joined(separator: " or ")
        }
        if let value = schema["const"] { return "`\(value.text)`" }
        if let words = schema["enum"]?.array {
            return words.map { "`\($0.text)`" }.joined(separator: ", ")
        }
        let limits = [schema["minimum"], schema["maximum"]].map { $0?.numberText }
        return switch schema["type"]?.string {
        case "integer":
            "number" + (limits[1].map { ", \(limits[0] ?? "0") to \($0)" } ?? "")
        case "boolean": "true or false"
        case "array": "list of: \(type(of: schema["items"] ?? [:]))"
        case "string": "text"
        case "null": "null"
        default: "object"
        }
    }

    private static var values: String {
        let rows = ValueSchemas.components(nil).map { name, schema in
            let words = schema["description"]?.string ?? ""
            guard schema["properties"] == nil else {
                return "### \(name)\n\n\(words)\n\n\(table(schema))"
            }
            let form =
                schema["pattern"]?.string ?? schema["enum"].map { words in
                    (words.array ?? []).map(\.text).joined(separator: ", ")
                } ?? "text"
            return "### \(name)\n\n\(words.isEmpty ? "" : words + " ")`\(form)`"
        }
        return (["## Values"] + rows).joined(separator: "\n\n")
    }

    private static var errors: String {
        let rows = TapcardError.Kind.allCases.map { kind in
            let result = TapcardError(kind, "").result
            return "| `\(kind.word)` | `\(result.rawValue)` | \(result.exitStatus) | "
                + "\(kind.meaning) |"
        }
        return
            ([
                "## Errors", "",
                "The word that stands in `error`, the `result` that goes with it, and the exit status.",
                "",
                "| error | result | exit status | meaning |", "|---|---|---|---|",
            ] + rows).joined(separator: "\n")
    }
}
