/// One key of a ring: its master keys, its permitted use, and its date.
public struct KeyEntry: Hashable, Sendable {
    /// The derived keys, for cards that carry this key's id.
    public let keys: CardKeys
    /// The use that the ring makes of the key.
    public let status: KeyStatus
    /// The creation date from the maker of the key, in ISO 8601.
    public let created: String

    /// The id of the key.
    public var id: UInt8 { keys.keyID }
    /// The 32 bytes from which the keys for seals are derived. Secret.
    public var macMaster: [UInt8] { keys.macMaster.bytes }
    /// The 32 bytes from which the passwords of tags are derived. Secret.
    public var passwordMaster: [UInt8] { keys.passwordMaster.bytes }

    /// A text by which two keys are told apart, and from which neither can be found out: their
    /// secrets are random.
    public var mark: String {
        SHA256.digest(macMaster + passwordMaster).prefix(8)
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    func restricted(by status: KeyStatus) -> KeyEntry {
        KeyEntry(keys: keys, status: self.status.restricted(by: status), created: created)
    }
}

extension KeyEntry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "key \(id) (\(status.rawValue))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "status": status]) }
}
