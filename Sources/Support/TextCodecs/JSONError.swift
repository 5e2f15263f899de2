/// Why text is not acceptable JSON: a kind that code can act on, and a message with the position.
///
/// Errors of the same kind are equal.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// The text ends in the middle of a value.
        case truncated
        /// A byte that is not allowed in this position.
        case unexpectedByte
        /// Digits that are not a valid number, such as `01` or `1.`.
        case badNumber
        /// A string with a raw control character, an unknown escape, or half a surrogate pair.
        case badString
        /// A string whose bytes are not UTF-8.
        case notUTF8
        /// Two members of the same object with the same name: programs disagree about which one
        /// counts.
        case duplicateKey
        /// More levels of arrays and objects than `JSONValue.depthLimit`.
        case tooDeep
        /// More bytes than `JSONValue.sizeLimit`, or more values than allowed.
        case tooLarge
        /// There is something after the value.
        case trailingBytes
    }

    public let kind: Kind
    public let detail: String

    init(_ kind: Kind, _ detail: String, at offset: Int) {
        self.kind = kind
        self.detail = "\(detail) at byte \(offset)"
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }

    public var description: String { detail }
}
