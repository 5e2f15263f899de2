package import TextCodecs

/// The schemas that `tapcard schema` prints.
package enum PrintedDocuments {
    /// The schema for everything that `command` can print with `--json`; if `command` is nil, for
    /// everything that any command can print.
    package static func schema(of command: Command?) -> JSONValue {
        var printed = PrintedDocument.allCases.filter { command == nil || $0 == command?.answers }
            .map { (name: $0.rawValue, schema: $0.schema) }
        if command == nil || command?.words == "read" {
            printed.append((name: "ReaderIsBack", schema: PrintedDocument.readerReturned))
        }
        printed.append((name: "Error", schema: PrintedDocument.error))
        let all = ValueSchemas.components(nil) + printed
        // A component may refer to others, so the ones that are needed are collected step by step.
        var todo = printed.map(\.name)
        var needed = Set(todo)
        while let name = todo.popLast() {
            guard let schema = all.first(where: { $0.name == name })?.schema else { continue }
            todo += references(in: schema).filter { needed.insert($0).inserted }
        }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": .string(
                "Output of tapcard \(command.map { "\($0.words) " } ?? "")--json"),
            "anyOf": .array(printed.map { ["$ref": .string(place + $0.name)] }),
            "$defs": .object(
                all.filter { needed.contains($0.name) }
                    .map { JSONMember(key: $0.name, value: moved($0.schema)) }),
        ]
    }

    private static let place = "#/$defs/"
    private static let reference = "$ref"

    /// The names that a schema refers to.
    private static func references(in schema: JSONValue) -> [String] {
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
