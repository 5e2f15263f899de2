/// A JSON value that keeps the order of its members and the exact text of its numbers.
///
/// Amounts must never pass through binary floating point, and the members that other programs
/// wrote must come back where they were: hence neither a `Double` nor a dictionary.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The digits as they are written. Whoever makes one keeps to the grammar of RFC 8259.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// The most arrays and objects that may lie within one another, in levels.
    public static let depthLimit = 32

    /// The longest text that is read, in bytes.
    public static let sizeLimit = 1_048_576

    /// The value of the first member of that name; nil for none, and for what is no object.
    public subscript(key: String) -> JSONValue? {
        members?.first { $0.key == key }?.value
    }

    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    public var numberText: String? {
        guard case .number(let text) = self else { return nil }
        return text
    }

    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    public var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    public var members: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .number(String(value)) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { JSONMember(key: $0.0, value: $0.1) })
    }
}
