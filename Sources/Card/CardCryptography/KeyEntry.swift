/// One key in a ring: the card keys derived from it, its permitted use, and its date.
public struct KeyEntry: Hashable, Sendable {
    /// The key material that this machine has.
    private enum Source: Hashable, Sendable {
        case masters(CardKeys)
        case table(CardKeyRows, files: Secret, id: UInt8, mark: String)
    }

    private let source: Source
    /// What the ring may use the key for.
    public let status: KeyStatus
    /// The date on which the key was created, in ISO 8601 format.
    public let created: String

    private init(_ source: Source, status: KeyStatus, created: String) {
        (self.source, self.status, self.created) = (source, status, created)
    }

    init(_ masters: CardKeys, status: KeyStatus, created: String) {
        self.init(.masters(masters), status: status, created: created)
    }

    /// An entry in a table: the keys of individual cards derived from the key with this ID and
    /// mark, and the 32 bytes from which the station derives the keys for sealing its own files.
    package init(
        id: UInt8, mark: String, rows: CardKeyRows, files: [UInt8], status: KeyStatus,
        created: String
    ) {
        precondition(files.count == CardKeys.masterSize, "a key for files has 32 bytes")
        self.init(
            .table(rows, files: Secret(files), id: id, mark: mark), status: status,
            created: created)
    }

    /// The ID of the key.
    public var id: UInt8 {
        switch source {
        case .masters(let keys): keys.keyID
        case .table(_, _, let id, _): id
        }
    }

    /// The master keys, from which all card keys are derived; `nil` in a table of card keys.
    public var masters: CardKeys? {
        if case .masters(let keys) = source { keys } else { nil }
    }

    /// The keys of individual cards; `nil` if the entry has master keys.
    package var rows: CardKeyRows? {
        if case .table(let rows, _, _, _) = source { rows } else { nil }
    }

    /// The 32 bytes from which a station with a table derives the keys for sealing its files.
    /// Secret.
    package var tableKey: [UInt8] {
        switch source {
        case .masters(let keys): keys.tableKey
        case .table(_, let files, _, _): files.bytes
        }
    }

    /// The 32-byte key that seals this card's records; `nil` if the entry is from a table that
    /// lacks the card.
    public func cardKey(uid: [UInt8]) -> [UInt8]? {
        // An entry has either master keys or rows, so at most one of the two returns a key.
        masters?.cardKey(uid: uid) ?? rows?.recordKey(for: uid)
    }

    /// The length of a mark, in digits.
    static let markSize = 16

    /// A short string that identifies the key. It is part of a hash of random secrets, so it does
    /// not reveal them.
    public var mark: String {
        switch source {
        case .masters(let keys):
            // `Hexadecimal` writes digits in upper case, but stored marks are in lower case.
            SHA256.digest(keys.macMaster + keys.passwordMaster)
                .prefix(KeyEntry.markSize / 2)
                .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        case .table(_, _, _, let mark): mark
        }
    }

    /// Whether both entries have the same keys, regardless of their status.
    func hasSameKeys(as other: KeyEntry) -> Bool { source == other.source }

    func with(_ status: KeyStatus) -> KeyEntry {
        KeyEntry(source, status: status, created: created)
    }

    func restricted(by status: KeyStatus) -> KeyEntry { with(self.status.restricted(by: status)) }
}

extension KeyEntry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "key \(id) (\(status.rawValue))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "status": status]) }
}
