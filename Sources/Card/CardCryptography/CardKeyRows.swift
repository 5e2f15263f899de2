/// The keys of individual cards, derived from one of the issuer's keys. A station without master
/// keys uses these instead.
///
/// The keys in a table cannot be used to derive a master key, any other key of these cards, or any
/// key of another card.
package struct CardKeyRows: Hashable, Sendable {
    /// The keys of one card.
    package struct Row: Sendable {
        /// The UID of the card's chip.
        package let uid: [UInt8]
        /// The key that seals the card's records, 32 bytes.
        package let record: [UInt8]
        /// Key 3 of the chip, the sell key.
        package let selling: AESKey

        /// Creates the row of the card with this UID.
        package init(uid: [UInt8], record: [UInt8], selling: AESKey) {
            (self.uid, self.record, self.selling) = (uid, record, selling)
        }

        fileprivate var bytes: [UInt8] { uid + record + selling.copyOfBytes() }
    }

    private static let uidSize = 7
    private static let recordSize = 32
    private static let size = uidSize + recordSize + AESKey.size

    /// All rows in one buffer, sorted by UID.
    private let rows: Secret

    /// Takes the rows in any order. Returns `nil` if a key or a UID has the wrong length,
    /// or if a card appears twice.
    package init?(_ rows: [Row]) {
        // Each row begins with its UID, so this sorts the rows by UID.
        self.init(sorted: rows.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) })
    }

    /// Takes rows in the format that `bytes` returns; nil if they are not valid and sorted by UID.
    init?(sorted rows: [[UInt8]]) {
        guard rows.allSatisfy({ $0.count == CardKeyRows.size }),
            // The UIDs must be strictly ascending: the binary search needs the order, and a
            // duplicate UID would mean that a card is listed twice.
            zip(rows, rows.dropFirst()).allSatisfy({ before, after in
                before.prefix(CardKeyRows.uidSize)
                    .lexicographicallyPrecedes(after.prefix(CardKeyRows.uidSize))
            })
        else { return nil }
        // A `Secret` keeps the keys out of descriptions and dumps.
        self.rows = Secret(Array(rows.joined()))
    }

    package var count: Int { rows.bytes.count / CardKeyRows.size }

    /// The rows. Each consists of the UID, the record key, and the sell key.
    var bytes: [[UInt8]] { (0..<count).map { Array(row($0)) } }

    /// The UIDs of the cards.
    package var uids: [[UInt8]] {
        (0..<count).map { Array(row($0).prefix(CardKeyRows.uidSize)) }
    }

    /// The key that seals this card's records; `nil` for a card that has no row.
    package func recordKey(for uid: [UInt8]) -> [UInt8]? {
        find(uid).map { Array($0.dropFirst(CardKeyRows.uidSize).prefix(CardKeyRows.recordSize)) }
    }

    /// Key 3 of this card's chip; `nil` for a card that has no row.
    package func sellKey(for uid: [UInt8]) -> AESKey? {
        find(uid).map { AESKey(Array($0.suffix(AESKey.size))) }
    }

    private func row(_ index: Int) -> ArraySlice<UInt8> {
        rows.bytes[index * CardKeyRows.size..<(index + 1) * CardKeyRows.size]
    }

    private func find(_ uid: [UInt8]) -> ArraySlice<UInt8>? {
        // A table can have about 100,000 rows, so this is a binary search.
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            let row = row(middle)
            let found = row.prefix(CardKeyRows.uidSize)
            if found.elementsEqual(uid) { return row }
            if found.lexicographicallyPrecedes(uid) { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
