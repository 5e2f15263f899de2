/// The reason why bytes are not a card, or a card does not fit into bytes. Equal when the kinds
/// are.
package struct CardImageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    package enum Kind: Sendable, Hashable {
        /// The text for phones is this many bytes too long for the chip.
        case tooLong(by: Int)
        /// The JSON is not that of a card.
        case notACard
        /// A key of a card has an invalid value.
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
