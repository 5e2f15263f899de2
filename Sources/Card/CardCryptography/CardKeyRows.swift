/// The keys of single cards under one key of the issuer: all that a station without masters has.
///
/// Neither a master nor another key of a card can be made of them, nor the keys of another card.
package struct CardKeyRows: Hashable, Sendable {
    /// The keys of one card.
    package struct Row: Sendable {
        /// The number of the card's chip.
        package let uid: [UInt8]
        /// Seals the card's records, 32 bytes.
        package let record: [UInt8]
        /// Key 3 of the chip, which sells.
        package let selling: AESKey

        /// The keys of the card with this number.
        package init(uid: [UInt8], record: [UInt8], selling: AESKey) {
            (self.uid, self.record, self.selling) = (uid, record, selling)
        }

        fileprivate var bytes: [UInt8] { uid + record + selling.copyOfBytes() }
    }

    private static let uidSize = 7
    private static let recordSize = 32
    private static let size = uidSize + recordSize + AESKey.size

    /// All rows in one piece, in the order of their numbers.
    private let rows: Secret

    /// The rows, in any order. Nil for keys or numbers of another length, and for a card that is
    /// there twice.
    package init?(_ rows: [Row]) {
        self.init(sorted: rows.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) })
    }

    /// The output of `bytes`, and nothing else.
    init?(sorted rows: [[UInt8]]) {
        guard rows.allSatisfy({ $0.count == CardKeyRows.size }),
            zip(rows, rows.dropFirst()).allSatisfy({ before, after in
                before.prefix(CardKeyRows.uidSize)
                    .lexicographicallyPrecedes(after.prefix(CardKeyRows.uidSize))
            })
        else { return nil }
        self.rows = Secret(Array(rows.joined()))
    }

    /// The number of cards.
    package var count: Int { rows.bytes.count / CardKeyRows.size }

    /// Each row: number, key of the records, key that sells.
    var bytes: [[UInt8]] { (0..<count).map { Array(row($0)) } }

    /// The numbers of the cards.
    package var uids: [[UInt8]] {
        (0..<count).map { Array(row($0).prefix(CardKeyRows.uidSize)) }
    }

    /// The bytes that seal the records of this card; nil for one that is not here.
    package func record(of uid: [UInt8]) -> [UInt8]? {
        find(uid).map { Array($0.dropFirst(CardKeyRows.uidSize).prefix(CardKeyRows.recordSize)) }
    }

    /// Key 3 of this card; nil for one that is not here.
    package func selling(of uid: [UInt8]) -> AESKey? {
        find(uid).map { AESKey(Array($0.suffix(AESKey.size))) }
    }

    private func row(_ place: Int) -> ArraySlice<UInt8> {
        rows.bytes[place * CardKeyRows.size..<(place + 1) * CardKeyRows.size]
    }

    private func find(_ uid: [UInt8]) -> ArraySlice<UInt8>? {
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
