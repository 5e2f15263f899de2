public import TextCodecs

/// Validates values against JSON Schemas, strictly: an unknown keyword is a failure.
public struct SchemaChecker {
    /// The whole document, into which references point.
    let document: JSONValue

    public init(document: JSONValue) { self.document = document }

    /// The faults of a value, each with its place; none where the value is valid.
    public func faults(
        of value: JSONValue, against schema: JSONValue, at place: String = "$"
    ) -> [String] {
        (schema.members ?? [JSONMember(key: "no schema", value: schema)]).flatMap { rule in
            faults(of: value, by: rule, in: schema, at: place)
        }
    }

    private func faults(
        of value: JSONValue, by rule: JSONMember, in schema: JSONValue, at place: String
    ) -> [String] {
        let fault = ["\(place): \(value.text.prefix(120)) against \(rule.key) \(rule.value.text)"]
        switch rule.key {
        case "description", "format", "$schema", "title", "$defs": return []
        case "$ref":
            guard let named = resolved(rule.value) else { return fault }
            return faults(of: value, against: named, at: place)
        case "anyOf":
            let all = (rule.value.array ?? []).map { faults(of: value, against: $0, at: place) }
            return all.contains { $0.isEmpty } ? [] : fault + (all.last ?? [])
        case "type": return value.isOfType(rule.value.string) ? [] : fault
        case "const": return value == rule.value ? [] : fault
        case "enum": return rule.value.array?.contains(value) == true ? [] : fault
        case "pattern":
            guard let text = value.string, let pattern = rule.value.string,
                let regex = try? Regex(pattern)
            else { return fault }
            return text.firstMatch(of: regex) == nil ? fault : []
        case "minimum", "minLength", "minItems":
            return (value.size ?? .min) >= (rule.value.size ?? .max) ? [] : fault
        case "maximum", "maxLength", "maxItems":
            return (value.size ?? .max) <= (rule.value.size ?? .min) ? [] : fault
        case "items":
            return (value.array ?? []).enumerated().flatMap { index, element in
                faults(of: element, against: rule.value, at: "\(place)[\(index)]")
            }
        case "properties":
            return (value.members ?? []).flatMap { member in
                rule.value[member.key].map {
                    faults(of: member.value, against: $0, at: "\(place).\(member.key)")
                } ?? []
            }
        case "required":
            return (rule.value.array ?? []).filter { value[$0.string ?? ""] == nil }
                .map { "\(place): \($0.text) is missing" }
        case "additionalProperties":
            return (value.members ?? []).filter { schema["properties"]?[$0.key] == nil }
                .map { "\(place): \($0.key) is too many" }
        default: return fault
        }
    }

    public func resolved(_ reference: JSONValue) -> JSONValue? {
        guard let path = reference.string, path.hasPrefix("#/") else { return nil }
        return path.dropFirst(2).split(separator: "/").reduce(Optional(document)) {
            $0?[String($1)]
        }
    }
}

extension JSONValue {
    fileprivate func isOfType(_ name: String?) -> Bool {
        switch (self, name) {
        case (.null, "null"), (.bool, "boolean"), (.string, "string"), (.array, "array"),
            (.object, "object"):
            true
        case (.number(let text), "integer"): Int(text) != nil
        default: false
        }
    }

    /// Its value or its length.
    fileprivate var size: Int? {
        switch self {
        case .number(let text): Int(text)
        case .string(let text): text.unicodeScalars.count
        case .array(let elements): elements.count
        default: nil
        }
    }
}
