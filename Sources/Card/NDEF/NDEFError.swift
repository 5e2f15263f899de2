/// Why bytes are no NDEF, or why a message cannot be put into bytes: a kind to act on, and
/// words for people.
///
/// Two errors are equal when their kinds are.
public struct NDEFError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// The message ends within a record, or before the record that should end it.
        case truncated
        /// Bytes follow the record that ends the message.
        case trailingBytes
        /// A begin or end flag is missing, or stands where it must not.
        case misplacedFlag
        /// The chunks of a record do not follow the rules for chunks.
        case badChunk
        /// A record's type, id or payload does not fit its type name format, or the record is
        /// of another type than the one asked for.
        case badType
        /// A value that the specification keeps for its own future.
        case reserved
        /// More records or bytes than a limit allows.
        case tooLong
        /// The payload of a Text record is none.
        case badText
        /// The payload of a URI record is none.
        case badURI
        /// A TLV block runs off the end of its memory.
        case overrun
        /// The content of a lock or memory control TLV is none.
        case badControl
    }

    public let kind: Kind
    public let detail: String

    public init(_ kind: Kind, _ detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }

    public var description: String {
        detail.isEmpty ? "the bytes are not a valid NDEF message" : detail
    }
}
