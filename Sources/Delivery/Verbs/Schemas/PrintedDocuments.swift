package import TextCodecs

/// The schemas that `tapcard schema` prints.
package enum PrintedDocuments {
    /// The schema for everything that `command` can print with `--json`. If `command` is nil, the
    /// schema covers all commands.
    package static func schema(of command: Command?) -> JSONValue {
        var printed = PrintedDocument.allCases.filter { command == nil || $0 == command?.answers }
            .map { (name: $0.rawValue, schema: $0.schema) }
        printed.append((name: "Error", schema: PrintedDocument.error))
        let all = ValueSchemas.components(nil) + printed
        // A component may refer to others, so the needed components are collected step by step.
        var pending = printed.map(\.name)
        var needed = Set(pending)
        while let name = pending.popLast() {
            guard let schema = all.first(where: { $0.name == name })?.schema else { continue }
            pending += references(in: schema).filter { needed.insert($0).inserted }
        }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": .string(
                "Output of tapcard \(command.map { "\($0.words) " } ?? "")--json"),
            "anyOf": .array(printed.map { ["$ref": .string(definitions + $0.name)] }),
            "$defs": .object(
                all.filter { needed.contains($0.name) }
                    .map { JSONMember(key: $0.name, value: redirected($0.schema)) }),
        ]
    }

    private static let definitions = "#/$defs/"
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

    /// The schema with its references changed from the API's components to `$defs`.
    private static func redirected(_ schema: JSONValue) -> JSONValue {
        switch schema {
        case .array(let elements): .array(elements.map(redirected))
        case .object(let members):
            .object(
                members.map { member in
                    guard member.key == reference, let name = Schema.name(in: member.value) else {
                        return JSONMember(key: member.key, value: redirected(member.value))
                    }
                    return JSONMember(key: reference, value: .string(definitions + name))
                })
        default: schema
        }
    }
}
