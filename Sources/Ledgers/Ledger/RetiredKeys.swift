public import TapcardDomain

/// A retired key: it seals no new records, and records sealed with it are not trusted.
public struct RetiredKey: Hashable, Sendable {
    /// The key's ID.
    public let id: UInt8
    /// The time after which no new record may be sealed with this key.
    public let retiredAt: Timestamp

    /// Creates a retired key's row.
    public init(id: UInt8, retiredAt: Timestamp) {
        self.id = id
        self.retiredAt = retiredAt
    }
}

extension LedgerStore {
    /// Retires keys before the key file is changed. From then on, no station seals with them, even
    /// if it has read an older file. Retiring a key a second time has no effect.
    public func retire(_ keys: Set<UInt8>, at now: Timestamp) async throws(LedgerError) {
        try await write { rows throws(LedgerError) in
            let known = Set(try rows.retiredKeys().map(\.id))
            for id in keys.subtracting(known).sorted() {
                // If the sealing key were retired, no station could seal records anymore.
                guard try rows.sealingKey() != id else {
                    throw LedgerError(
                        .refused,
                        "key \(id) is the current sealing key and cannot be retired")
                }
                try rows.insert(RetiredKey(id: id, retiredAt: now))
            }
        }
    }

    /// The IDs of the retired keys.
    public func retiredKeys() async throws(LedgerError) -> Set<UInt8> {
        try await read { rows throws(LedgerError) in Set(try rows.retiredKeys().map(\.id)) }
    }
}

extension LedgerRows {
    /// I4: no record was sealed with a key that was already retired.
    func recordsUnderRetiredKeys() throws(LedgerError) -> [String] {
        try recordsMadeAfterRetirement().map { record in
            "I4: record \(record.sequence) of card \(record.uid) was sealed after its key "
                + "\(record.keyID) was retired"
        }
    }
}
