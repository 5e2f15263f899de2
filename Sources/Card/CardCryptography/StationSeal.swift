/// The key by which a station seals files of its own, such as its journal, in one generation.
///
/// A station with a table of card keys seals with another key than one with the masters: who has a
/// stolen table can make no file that looks like one of a station of the issuer. Masters check
/// both.
package struct StationSeal: Hashable, Sendable {
    /// The id of the key that it comes from.
    package let keyID: UInt8
    /// Whether it is that of a station with a table.
    package let isOfTable: Bool
    /// The masters' own key for files is made for each purpose; the table's is made of this.
    private let source: KeyEntry

    /// Nil for a seal that needs masters, and an entry that has none.
    package init?(_ entry: KeyEntry, isOfTable: Bool) {
        guard isOfTable || entry.masters != nil else { return nil }
        (keyID, self.isOfTable, source) = (entry.id, isOfTable, entry)
    }

    /// The 32 bytes for this text, which only the key can make.
    package func code(of text: [UInt8], for purpose: String) -> [UInt8] {
        HMACSHA256.code(for: text, key: key(for: purpose))
    }

    private func key(for purpose: String) -> [UInt8] {
        guard !isOfTable, let masters = source.masters else {
            return CardKeys.fileKey(for: purpose, under: source.tableKey)
        }
        return masters.fileKey(for: purpose)
    }
}

extension KeyRing {
    /// The seal of the station that has these keys.
    package var stationSeal: StationSeal {
        guard let seal = StationSeal(sealing, isOfTable: isTable) else {
            preconditionFailure("These keys are neither a table nor the masters of an issuer.")
        }
        return seal
    }
}
