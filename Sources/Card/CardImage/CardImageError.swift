/// Why bytes are no card, or a card does not fit into bytes. Equal when the kinds are.
public struct CardImageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// What phones are to read is this many bytes too long for the chip.
        case tooLong(by: Int)
        /// JSON, but not of a card.
        case notACard
        /// A card's key with a value that it cannot have.
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
