package import CardCryptography
import Cards
package import Ledger
import TapcardDomain

extension TapcardError {
    /// The refusal of a card that is not in this station's table.
    static func notInTable(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .keyMissing, "This card is not in the station's table of card keys.",
            meaning: "No key was tried, because the card counts wrong keys.",
            next: [.file(.importTable)], uid: uid)
    }

    /// Thrown if a card would be made, or finished, at a reader that is not trusted.
    static func untrustedReader(_ uid: CardUID? = nil) -> TapcardError {
        TapcardError(
            .refusal(.wrongState), "Cards cannot be made at this till.", meaning: unchanged,
            next: [.trust(.useTrustedReader)], uid: uid)
    }

    /// The refusal of a request that needs a station with the issuer's keys.
    static func needsIssuer(_ what: String, _ uid: CardUID? = nil) -> TapcardError {
        TapcardError(
            .refusal(.wrongState), what, meaning: unchanged, next: [.trust(.useAtIssuerStation)],
            uid: uid)
    }
}

/// A table of card keys for a station without master keys, and the keys that are missing from it.
package struct CardTable: Sendable {
    package let keys: KeyRing
    /// The number of NTAG 424 cards in use.
    package let cards: Int
    /// The IDs of keys that cards have but the ring lacks. A station with the table cannot take
    /// payments from those cards.
    package let lacking: Set<UInt8>

    /// Creates the table for a ledger's cards. Each card is listed with the keys that it has or may
    /// get: those of its newest records, the current sealing key, and the key `next`, which will
    /// replace it.
    ///
    /// Nil if the keys themselves come from a table.
    package init?(
        _ ring: KeyRing, next: UInt8?, of ledger: any LedgerStore
    ) async throws(LedgerError) {
        let common = Set([ring.sealing.id, next].compactMap(\.self))
        let found = try await ledger.readWithoutBlocking { rows throws(LedgerError) in
            var found: [CardUID: Set<UInt8>] = [:]
            var cards = rows.pagesOfCards()
            while let card = try cards.next() {
                // A table has keys only for NTAG 424 cards.
                guard card.chip == .ntag424, card.isInUse else { continue }
                var ids = common
                // If an operation is open, the tag may hold either record, and the two may be
                // sealed with different keys.
                for number in Set([card.confirmed, card.allocated]) {
                    if let record = try rows.issued(card.uid, number) { ids.insert(record.keyID) }
                }
                found[card.uid] = ids
            }
            return found
        }
        guard let keys = ring.table(of: found) else { return nil }
        self.keys = keys
        cards = found.count
        lacking = Set(found.values.joined()).filter { ring.entry($0) == nil }
    }
}
