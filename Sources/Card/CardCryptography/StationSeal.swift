/// The key that a station uses to seal its own files, such as its journal. It is derived from one
/// of the keys in the station's ring.
///
/// A station with a table of card keys uses a different key from a station with the master keys, so
/// a thief cannot use a stolen table to forge the files of a station with the master keys. A
/// station with the master keys can check both kinds of seal.
package struct StationSeal: Hashable, Sendable {
    /// The ID of the key from which this key is derived.
    package let keyID: UInt8
    /// Whether this is the key of a station with a table.
    package let isForTable: Bool
    /// The entry from which the key is derived, using either the entry's master keys or the 32
    /// bytes that a table has for this purpose.
    private let source: KeyEntry

    /// `nil` if the seal requires master keys and the entry has none.
    package init?(_ entry: KeyEntry, isForTable: Bool) {
        guard isForTable || entry.masters != nil else { return nil }
        (keyID, self.isForTable, source) = (entry.id, isForTable, entry)
    }

    /// The 32-byte seal of this text, which can be made only with the key.
    package func code(of text: [UInt8], for purpose: String) -> [UInt8] {
        HMACSHA256.code(for: text, key: key(for: purpose))
    }

    private func key(for purpose: String) -> [UInt8] {
        // `isForTable` can be set even if the entry has master keys: to check the seal of a station
        // with a table.
        guard !isForTable, let masters = source.masters else {
            return CardKeys.fileKey(for: purpose, under: source.tableKey)
        }
        return masters.fileKey(for: purpose)
    }
}

extension KeyRing {
    /// The seal that a station with these keys puts on its files.
    package var stationSeal: StationSeal {
        guard let seal = StationSeal(sealing, isForTable: isTable) else {
            preconditionFailure("These keys are neither a table nor the masters of an issuer.")
        }
        return seal
    }
}
