/// The key with which a station seals its own files, such as its journal, made from one key of the
/// ring.
///
/// A station with a table of card keys seals with another key than one with the masters, so a
/// stolen table cannot make a file that looks like that of an issuer's station. Masters check both.
package struct StationSeal: Hashable, Sendable {
    /// The id of the key that it is made from.
    package let keyID: UInt8
    /// Whether it is the key of a station with a table.
    package let isOfTable: Bool
    /// The source of the key: masters derive one for each purpose, a table from its own 32 bytes.
    private let source: KeyEntry

    /// `nil` if the seal needs masters that the entry lacks.
    package init?(_ entry: KeyEntry, isOfTable: Bool) {
        guard isOfTable || entry.masters != nil else { return nil }
        (keyID, self.isOfTable, source) = (entry.id, isOfTable, entry)
    }

    /// The 32-byte seal of this text, which only the key can make.
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
