/// The key that a station uses to seal its own files, such as its journal, made from one key of the
/// ring.
///
/// A station with a table of card keys seals with a different key from a station with the masters,
/// so a stolen table cannot be used to make a file that looks like one from an issuer's station. A
/// station with the masters can check both.
package struct StationSeal: Hashable, Sendable {
    /// The id of the key from which this one is made.
    package let keyID: UInt8
    /// Whether this is the key of a station with a table.
    package let isOfTable: Bool
    /// What the key is made from: masters derive one for each purpose; a table uses its own 32
    /// bytes.
    private let source: KeyEntry

    /// `nil` if the seal requires masters that the entry does not have.
    package init?(_ entry: KeyEntry, isOfTable: Bool) {
        guard isOfTable || entry.masters != nil else { return nil }
        (keyID, self.isOfTable, source) = (entry.id, isOfTable, entry)
    }

    /// The 32-byte seal of this text, which can only be made with the key.
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
    /// The seal of a station that has these keys.
    package var stationSeal: StationSeal {
        guard let seal = StationSeal(sealing, isOfTable: isTable) else {
            preconditionFailure("These keys are neither a table nor the masters of an issuer.")
        }
        return seal
    }
}
