/// The reason why bytes are not a card, or a card does not fit into bytes. Equal when the kinds
/// are.
public struct CardImageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// The text for phones is this many bytes too long for the chip.
        case tooLong(by: Int)
        /// The JSON is not that of a card.
        case notACard
        /// A key of a card has an invalid value.
        case badValue
    }

    public let kind: Kind
    public let detail: String

    public init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    public var description: String { detail }
}
