/// The reason why a key ring cannot be read or changed: a kind to act on, and words for people.
///
/// Two errors are equal when their kinds are. No detail ever quotes a master key.
public struct KeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// The text is not a key ring.
        case malformed
        /// The text is of another version of the format.
        case unknownFormat
        /// All sixteen ids have been used, and none is ever used again.
        case exhausted
        /// The ring has no key with that id.
        case unknownKey
        /// The key is already retired.
        case alreadyRetired
        /// The key is the one that seals: rotate first.
        case sealing
        /// One id belongs to different master keys in the two rings.
        case conflict
        /// A table of card keys was found instead of masters, or masters instead of a table.
        case table
        /// The passphrase does not match the sealed file, or the file was changed.
        case sealed
    }

    /// The kind of failure, for code.
    public let kind: Kind
    /// The failure in a sentence, for people.
    public let detail: String

    init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }

    public var description: String { detail }
}
