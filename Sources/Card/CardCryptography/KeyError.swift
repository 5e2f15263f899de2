/// Why a ring of keys cannot be read or changed: a kind to act on, and words for people.
///
/// Two errors are equal when their kinds are. No detail ever quotes a master.
public struct KeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// The text is no ring of keys.
        case malformed
        /// The text is of another version of the format.
        case unknownFormat
        /// All sixteen ids have been used, and none is ever used again.
        case exhausted
        /// There is no key of that id.
        case unknownKey
        /// The key is retired already.
        case alreadyRetired
        /// The key is the one that seals: rotate first.
        case sealing
        /// One id stands for different masters here and there.
        case conflict
    }

    public let kind: Kind
    public let detail: String

    init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }

    public var description: String { detail }
}
