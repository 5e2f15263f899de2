package import TextCodecs

/// Builds JSON Schemas (2020-12) for the values in documents.
package enum Schema {
    package static let text: JSONValue = ["type": "string"]
    package static let boolean: JSONValue = ["type": "boolean"]
    package static let count: JSONValue = ["type": "integer", "minimum": 0]
    package static let integer: JSONValue = ["type": "integer"]
    package static let null: JSONValue = ["type": "null"]

    /// An object with exactly these members; only the optional ones may be missing.
    package static func object(_ members: Members, optional: Members = [:]) -> JSONValue {
        [
            "type": "object", "properties": (members + optional).described.object,
            "required": .array(members.all.map { .string($0.key) }),
            "additionalProperties": false,
        ]
    }

    package static func list(of element: JSONValue) -> JSONValue {
        ["type": "array", "items": element]
    }

    /// An object with exactly these members, some of which may be optional.
    package static func object(
        members: [(name: String, schema: JSONValue, isRequired: Bool)]
    ) -> JSONValue {
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        return [
            "type": "object",
            "properties": .object(members.map { JSONMember(key: $0.name, value: $0.schema) }),
            "required": .array(required), "additionalProperties": false,
        ]
    }

    /// One of the given words.
    package static func oneOf(_ words: [String]) -> JSONValue {
        ["type": "string", "enum": .array(words.map { .string($0) })]
    }

    package static func pattern(_ pattern: String) -> JSONValue {
        ["type": "string", "pattern": .string(pattern)]
    }

    package static func number(_ range: ClosedRange<Int>) -> JSONValue {
        [
            "type": "integer", "minimum": .number(String(range.lowerBound)),
            "maximum": .number(String(range.upperBound)),
        ]
    }

    /// The value, or null if it is unknown or missing.
    package static func nullable(_ schema: JSONValue) -> JSONValue { ["anyOf": [schema, null]] }

    /// A reference to one of the API document's components.
    package static func named(_ name: String) -> JSONValue {
        ["$ref": .string("#/components/schemas/" + name)]
    }

    /// The name of the component that a reference refers to; nil if it refers to something else.
    package static func name(in reference: JSONValue) -> String? {
        let place = "#/components/schemas/"
        return reference.string.flatMap {
            $0.hasPrefix(place) ? String($0.dropFirst(place.count)) : nil
        }
    }

    /// The schema with a default value, or unchanged if there is no default.
    package static func withDefault(_ value: JSONValue?, _ schema: JSONValue) -> JSONValue {
        guard let value else { return schema }
        return schema.with(["default": value])
    }

    static func described(_ schema: JSONValue, _ words: String) -> JSONValue {
        schema.with(["description": .string(words)])
    }
}
