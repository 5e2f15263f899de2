/// One key in a ring: the card keys derived from it, its permitted use, and its date.
public struct KeyEntry: Hashable, Sendable {
    /// The master keys, from which all card keys are derived.
    public let masters: CardKeys
    /// What the ring may use the key for.
    public let status: KeyStatus
    /// The date on which the key was created, in ISO 8601 format.
    public let created: String

    init(_ masters: CardKeys, status: KeyStatus, created: String) {
        (self.masters, self.status, self.created) = (masters, status, created)
    }

    /// The ID of the key.
    public var id: UInt8 { masters.keyID }

    /// A short string that identifies the key. It is part of a hash of random secrets, so it does
    /// not reveal them.
    public var mark: String {
        // `Hexadecimal` writes digits in upper case, but stored marks are in lower case.
        SHA256.digest(masters.macMaster + masters.passwordMaster).prefix(8)
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Whether both entries have the same keys, regardless of their status.
    func hasSameKeys(as other: KeyEntry) -> Bool { masters == other.masters }

    func with(_ status: KeyStatus) -> KeyEntry {
        KeyEntry(masters, status: status, created: created)
    }

    func restricted(by status: KeyStatus) -> KeyEntry { with(self.status.restricted(by: status)) }
}

extension KeyEntry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "key \(id) (\(status.rawValue))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "status": status]) }
}
