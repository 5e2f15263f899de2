package import CardCryptography
import Cards
package import Ledger
import Tags
import TapcardDomain

/// A station that has a table of card keys, and not the keys of the issuer. It sells to the cards
/// of the table; whatever gives a card credit or other keys is refused before anything is begun.
extension Station {
    /// Refuses what needs a key that loads a card, before a card is waited for.
    func requireLoading(for action: CardAction) throws(TapcardError) {
        switch action {
        case .add, .refund, .claim, .make: try requireLoading()
        case .pay, .reverse, .scratch, .activate, .ticket, .close, .game, .reseal, .protect,
            .unprotect:
            return
        }
    }

    /// Refuses a station without the key that loads a card.
    func requireLoading() throws(TapcardError) {
        guard keys.isTable else { return }
        throw .needsIssuer("This station cannot put money on a card or make one.")
    }

    /// Refuses a card whose keys come from masters alone, or are not in the table.
    func requireInTable(
        _ identity: TagIdentity, _ uid: CardUID, _ known: KnownCard?
    ) throws(Interruption) {
        guard keys.isTable else { return }
        guard identity.speaksInBlocks else {
            throw .refused(
                .keyMissing, "This station only has keys for cards on an NTAG 424.",
                meaning: TapcardError.unchanged, next: [.trust(.useAtIssuerStation)], uid: uid)
        }
        if known != nil, keys.entries.allSatisfy({ $0.cardKey(uid: uid.bytes) == nil }) {
            throw .refused(.notInTable(uid))
        }
    }

    /// The key of the table that this card has, where nothing but that key is needed to write it:
    /// the card has all of its keys in one version and the credit that the ledger knows, and no
    /// other key has to seal.
    func entryOfTable(for reading: CardReading) throws(Interruption) -> KeyEntry {
        guard case .ntag424(let chip) = reading.medium, let known = reading.known,
            let visit = chip.visit,
            chip.isComplete, let grant = visit.grant
        else {
            // Its grant is read without a proof.
            throw .claimed(.needsIssuer("The card is not made whole yet.", reading.uid))
        }
        let spent = visit.slots.spent(at: known.issued[known.card.confirmed]?.bytes)
        guard grant.granted >= known.balance.minorUnits + spent else {
            throw .refused(.needsIssuer("Money is still to be put on the card.", reading.uid))
        }
        let own = keys.entries.first { NTAG424CardKeys.version(of: $0.id) == visit.card.version }
        guard let own, own.status != .retired, own.id == keys.sealing.id || !keySource.isCommon
        else { throw .refused(.needsIssuer("The card needs newer keys.", reading.uid)) }
        return own
    }

    /// The error of a chip with keys that are not here.
    func lackingChipKeys(_ version: UInt8, _ uid: CardUID) -> TapcardError {
        keys.isTable ? .notInTable(uid) : .foreignChip(version, uid)
    }
}

extension TapcardError {
    /// The refusal of a card that is not in the station's table.
    static func notInTable(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .keyMissing, "The card is not in this station's table of card keys.",
            meaning: "Nothing was tried on it, because an NTAG 424 counts wrong keys.",
            next: [.file(.importTable)], uid: uid)
    }

    /// The refusal of what only a station with the keys of the issuer can do.
    static func needsIssuer(_ what: String, _ uid: CardUID? = nil) -> TapcardError {
        TapcardError(
            .refusal(.wrongState), what, meaning: unchanged, next: [.trust(.useAtIssuerStation)],
            uid: uid)
    }
}

/// A table of card keys for a station without masters, and what it lacks.
package struct CardTable: Sendable {
    package let keys: KeyRing
    /// The cards on an NTAG 424 that are in use.
    package let cards: Int
    /// Keys of cards that this ring lacks, so that no station can sell to these cards by the table.
    package let lacking: Set<UInt8>

    /// The table of a ledger's cards, each under the keys that it has and may get: those of its
    /// newest records, the key that seals now, and the one that is to seal `next`.
    ///
    /// Nil for keys that are a table themselves.
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
