public import TapcardDomain

/// The ledger's policy on keys, which overrides the stations' key files.
public struct KeyPolicy: Hashable, Sendable {
    /// The keys that are no longer used to seal or verify records.
    public let retired: Set<UInt8>
    /// The key that all stations seal with; nil if each station follows its own file.
    public let sealing: UInt8?

    /// Creates a policy from the IDs of the retired keys and of the sealing key.
    public init(retired: Set<UInt8>, sealing: UInt8? = nil) {
        (self.retired, self.sealing) = (retired, sealing)
    }
}

/// The keys that a station has. A mark distinguishes keys without revealing them.
public struct StationKeys: Hashable, Sendable {
    /// The marks of all keys in the station's file, including those that it no longer trusts.
    public let marks: [UInt8: String]
    /// The keys that this station can verify records with.
    public let usable: Set<UInt8>
    /// The key that this station seals with if the ledger does not specify one.
    public let sealing: UInt8

    /// Creates a station's report: a mark for each key, and the IDs of the keys that it can use.
    public init(marks: [UInt8: String], usable: Set<UInt8>, sealing: UInt8) {
        (self.marks, self.usable, self.sealing) = (marks, usable, sealing)
    }
}

/// The keys of a shared ledger, and which stations have them.
public struct IssuerKeys: Hashable, Sendable {
    /// The key that all stations seal with; nil until the first station has reported its own.
    public let sealing: UInt8?
    /// The key that stations will seal with next; nil if none has been announced.
    public let next: UInt8?
    /// The time when the next key was announced; nil if there is none.
    public let announcedAt: Timestamp?
    /// The marks of all keys that any station has ever had.
    public let marks: [UInt8: String]
    /// The stations that have not been revoked.
    public let stations: [RegisteredStation]

    /// Creates the state of an issuer's keys.
    public init(
        sealing: UInt8?, next: UInt8?, announcedAt: Timestamp?, marks: [UInt8: String],
        stations: [RegisteredStation]
    ) {
        (self.sealing, self.next, self.announcedAt) = (sealing, next, announcedAt)
        (self.marks, self.stations) = (marks, stations)
    }

    /// The stations without this key, including those that have not reported their keys yet.
    public func lacking(_ key: UInt8) -> [RegisteredStation] {
        // `keys` is nil before a station's first report.
        stations.filter { $0.keys?.contains(key) != true }
    }
}

extension LedgerStore {
    /// The IDs of the retired keys, and of the sealing key.
    public func keyPolicy() async throws(LedgerError) -> KeyPolicy {
        try await read { rows throws(LedgerError) in try rows.keyPolicy() }
    }
}

extension LedgerRows {
    func keyPolicy() throws(LedgerError) -> KeyPolicy {
        KeyPolicy(retired: Set(try retiredKeys().map(\.id)), sealing: try sealingKey())
    }
}
