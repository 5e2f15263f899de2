/// One key of a ring: its masters, what it may be used for, and when it was made.
public struct KeyEntry: Hashable, Sendable {
    /// What is derived from the masters, for cards that carry this key's id.
    public let keys: CardKeys
    public let status: KeyStatus
    /// The date that the maker of the key gave, in words of ISO 8601.
    public let created: String

    public var id: UInt8 { keys.keyID }
    public var macMaster: [UInt8] { keys.macMaster.bytes }
    public var passwordMaster: [UInt8] { keys.passwordMaster.bytes }

    func restricted(by status: KeyStatus) -> KeyEntry {
        KeyEntry(keys: keys, status: self.status.restricted(by: status), created: created)
    }
}

extension KeyEntry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "key \(id) (\(status.rawValue))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "status": status]) }
}
