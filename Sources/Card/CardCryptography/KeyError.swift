/// Why a key ring cannot be read or changed: a kind that code can act on, and a message for users.
///
/// Errors of the same kind are equal. No message ever quotes a master key.
public struct KeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// The text is not a key ring.
        case malformed
        /// The text uses another format.
        case unknownFormat
        /// The text uses a newer version of the format.
        case newerFormat
        /// All 16 IDs have been used, and none is ever reused.
        case exhausted
        /// The ring has no key with that ID.
        case unknownKey
        /// The key is already retired.
        case alreadyRetired
        /// The key is the current sealing key; the keys have to be rotated first.
        case sealing
        /// The same ID belongs to different master keys in the two rings.
        case conflict
    }

    /// The kind of failure, for code that handles the error.
    public let kind: Kind
    /// A message that describes the failure to the user.
    public let detail: String

    init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }

    public var description: String { detail }
}
