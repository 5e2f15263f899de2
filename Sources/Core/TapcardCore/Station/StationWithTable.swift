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

    /// The refusal of something that only a station with the issuer's keys can do.
    static func needsIssuer(_ what: String, _ uid: CardUID? = nil) -> TapcardError {
        TapcardError(
            .refusal(.wrongState), what, meaning: unchanged, next: [.trust(.useAtIssuerStation)],
            uid: uid)
    }
}

/// A table of card keys for a station without master keys, and what it lacks.
package struct CardTable: Sendable {
    package let keys: KeyRing
    /// The cards on an NTAG 424 that are in use.
    package let cards: Int
    /// Keys that cards have but this ring lacks, so that a station with the table cannot take
    /// payments from those cards.
    package let lacking: Set<UInt8>

    /// The table for a ledger's cards, each with the keys that it has or may get: those of its
    /// newest records, the current sealing key, and the key that `next` seals with.
    ///
    /// Nil if the keys are themselves a table.
    package init?(
        _ ring: KeyRing, next: UInt8?, of ledger: any LedgerStore
    ) async throws(LedgerError) {
        let common = Set([ring.sealing.id, next].compactMap(\.self))
        let found = try await ledger.readAtLength { rows throws(LedgerError) in
            var found: [CardUID: Set<UInt8>] = [:]
            var cards = rows.pagesOfCards()
            while let card = try cards.next() {
                guard card.chip == .ntag424, card.isInUse else { continue }
                var ids = common
                // If an operation is open, the tag may hold either record, each sealed with its own
                // key.
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
