import TapcardCore
package import TextCodecs

/// The documents of each verb with `--json`: one table for `tapcard schema` and the tests.
package struct PrintedDocuments {
    /// A document, and the verbs that print it.
    package struct Row {
        package let name: String
        package let schema: JSONValue
        package let verbs: [String]
    }

    package static let error = "Error"

    package let rows: [Row]

    package init(_ verbs: [Command]) {
        rows =
            PrintedDocument.allCases.map { document in
                Row(
                    name: document.rawValue, schema: document.schema,
                    verbs: verbs.filter { $0.answers == document }.map(\.words))
            } + [
                Row(name: "ReaderIsBack", schema: PrintedDocument.readerIsBack, verbs: []),
                Row(name: PrintedDocuments.error, schema: PrintedDocument.error, verbs: []),
            ]
    }

    /// The names of all documents that a verb can print, including a failure.
    package func names(for verb: String) -> [String] {
        rows.filter { $0.verbs.contains(verb) }.map(\.name)
            + (verb == "read" ? ["ReaderIsBack"] : []) + [PrintedDocuments.error]
    }

    /// The verbs that can print a document.
    package func verbs(printing name: String) -> [String] {
        name == "ReaderIsBack" ? ["read --watch"] : rows.first { $0.name == name }?.verbs ?? []
    }

    /// The schema of everything that a verb can print; without a verb, of all verbs.
    package func schema(for verb: String?) -> JSONValue {
        let named = verb.map(names) ?? rows.map(\.name)
        let all =
            ValueSchemas.components(nil) + rows.map { (name: $0.name, schema: $0.schema) }
        let title = verb.map { "What tapcard \($0) prints with --json" }
        var needed = Set(named)
        var todo = named
        while let name = todo.popLast() {
            guard let schema = all.first(where: { $0.name == name })?.schema else { continue }
            todo += PrintedDocuments.references(in: schema).filter { needed.insert($0).inserted }
        }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": .string(title ?? "What tapcard prints with --json"),
            "anyOf": .array(named.map { ["$ref": .string(PrintedDocuments.place + $0)] }),
            "$defs": .object(
                all.filter { needed.contains($0.name) }
                    .map { JSONMember(key: $0.name, value: PrintedDocuments.moved($0.schema)) }),
        ]
    }

    private static let place = "#/$defs/"
    private static let reference = "$ref"

    /// The names that a schema refers to.
    static func references(in schema: JSONValue) -> [String] {
        switch schema {
        case .array(let elements): elements.flatMap(references)
        case .object(let members):
            members.flatMap { member in
                member.key == reference
                    ? [Schema.name(in: member.value)].compactMap(\.self)
                    : references(in: member.value)
            }
        default: []
        }
    }

    /// The schema with its references moved from the API's components to `$defs`.
    private static func moved(_ schema: JSONValue) -> JSONValue {
        switch schema {
        case .array(let elements): .array(elements.map(moved))
        case .object(let members):
            .object(
                members.map { member in
                    guard member.key == reference, let name = Schema.name(in: member.value) else {
                        return JSONMember(key: member.key, value: moved(member.value))
                    }
                    return JSONMember(key: reference, value: .string(place + name))
                })
        default: schema
        }
    }
}
