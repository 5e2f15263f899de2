public import TapcardDomain

/// A key that was given up: nothing is sealed with it any more, and nothing under it is believed.
public struct RetiredKey: Hashable, Sendable {
    public let id: UInt8
    public let retiredAt: Timestamp

    public init(id: UInt8, retiredAt: Timestamp) {
        self.id = id
        self.retiredAt = retiredAt
    }
}

extension LedgerStore {
    /// Gives keys up, before their file says so: from here on no station seals with them, whatever
    /// it has read of the file. To give one up again changes nothing.
    public func retire(_ keys: Set<UInt8>, at now: Timestamp) async throws(LedgerError) {
        try await write { rows throws(LedgerError) in
            let known = Set(try rows.retiredKeys().map(\.id))
            for id in keys.subtracting(known).sorted() {
                try rows.insert(RetiredKey(id: id, retiredAt: now))
            }
        }
    }

    /// The ids of the keys that were given up.
    public func retiredKeys() async throws(LedgerError) -> Set<UInt8> {
        try await read { rows throws(LedgerError) in Set(try rows.retiredKeys().map(\.id)) }
    }
}

extension LedgerRows {
    /// I4: no record was made with a key after that was given up.
    func recordsUnderRetiredKeys() throws(LedgerError) -> [String] {
        try recordsMadeTooLate().map { record in
            "I4: record \(record.sequence) of card \(record.uid) was made with key "
                + "\(record.keyID.map { "\($0)" } ?? ""), which was given up before"
        }
    }
}
