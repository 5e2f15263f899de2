/// Why bytes are not a card, or why a card does not fit on a chip. Errors of the same kind are
/// equal.
package struct CardImageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    package enum Kind: Sendable, Hashable {
        /// The text for phones is too long for the chip by this many bytes.
        case tooLong(by: Int)
        /// The JSON does not describe a card.
        case notACard
        /// A key has an invalid value.
        case badValue
    }

    package let kind: Kind
    package let detail: String

    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    package static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    package var description: String { detail }
}
