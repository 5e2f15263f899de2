/// A JSON value that keeps the order of its members and the exact text of its numbers.
///
/// Amounts must never pass through binary floating point, and members written by other programs
/// must keep their order, so neither a `Double` nor a dictionary is used.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number as written. Code that creates a number must follow the grammar in RFC 8259.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// The maximum number of levels of nested arrays and objects.
    public static let depthLimit = 32

    /// The maximum length of text that is parsed, in bytes.
    public static let sizeLimit = 1_048_576

    /// The value of the first member with that name. `nil` if there is none, or if this is not an
    /// object.
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

    /// Creates an object whose members are in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { JSONMember(key: $0.0, value: $0.1) })
    }
}
