/// Why bytes are not valid NDEF, or a message cannot be encoded: a kind that code can act on, and a
/// message for users.
///
/// Errors of the same kind are equal.
package struct NDEFError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    package enum Kind: Sendable, Hashable {
        /// The message ends in the middle of a record, or before the record that should end it.
        case truncated
        /// Bytes follow the record that ends the message.
        case trailingBytes
        /// A begin or end flag is missing or in the wrong place.
        case misplacedFlag
        /// The chunks of a record violate the rules for chunks.
        case badChunk
        /// A record's type, ID, or payload does not match its type name format, or the record does
        /// not have the requested type.
        case badType
        /// A value is reserved by the specification.
        case reserved
        /// There are more records or bytes than a limit allows.
        case tooLong
        /// The payload of a Text record is invalid.
        case badText
        /// The payload of a URI record is invalid.
        case badURI
        /// A TLV block extends past the end of the data area.
        case overrun
    }

    package let kind: Kind
    package let detail: String

    package init(_ kind: Kind, _ detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    package static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }

    package var description: String {
        detail.isEmpty ? "the bytes are not a valid NDEF message" : detail
    }
}
