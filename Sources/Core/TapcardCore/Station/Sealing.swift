import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// Seals records with a station's keys.
///
/// A station that has only a table of card keys takes payments from the cards in the table;
/// anything that would give a card credit or other keys is refused before it begins.
struct Sealing {
    let keySource: KeyRingSource
    private var keys: KeyRing { keySource.current }

    /// Seals with the key that all stations on the ledger seal with. Throws, before anything
    /// begins, if this station lacks it, or if it has only a table of card keys and needs more for
    /// this card.
    func sealer(of reading: CardReading) throws(Interruption) -> RecordSealer {
        if let missing = keySource.missing {
            throw .refused(.lackingKey(missing, isTable: keys.isTable))
        }
        return sealer(
            with: keys.isTable ? try entryOfTable(for: reading) : keys.sealing, on: reading.medium)
    }

    private func sealer(with entry: KeyEntry, on medium: CardReading.Medium) -> RecordSealer {
        RecordSealer(
            keyID: entry.id,
            seal: { content in
                guard let record = SealedRecord(content, on: medium, under: entry) else {
                    // The ledger accepts no balance that a record cannot hold, so this is a
                    // programming error.
                    preconditionFailure("the ledger let a balance pass that no card can hold")
                }
                return record.bytes
            })
    }

    /// Refuses an action that needs the load key, before waiting for a card.
    func requireLoading(for action: CardAction) throws(TapcardError) {
        switch action {
        case .add, .refund, .claim, .make: try requireLoading()
        case .pay, .reverse, .scratch, .activate, .ticket, .close, .game, .reseal, .protect,
            .unprotect:
            return
        }
    }

    /// Refuses if this station does not have the load key.
    func requireLoading() throws(TapcardError) {
        guard keys.isTable else { return }
        throw .needsIssuer(
            "This station has only a table of card keys and cannot make cards or top them up.")
    }

    /// Refuses a card that is not in the table, or whose keys only the issuer's master keys can
    /// provide.
    func requireInTable(
        _ identity: TagIdentity, _ uid: CardUID, _ known: KnownCard?
    ) throws(Interruption) {
        guard keys.isTable else { return }
        guard identity.speaksInBlocks else {
            throw .refused(
                .keyMissing,
                "This is not an NTAG 424, but this station's table has keys for NTAG 424 cards "
                    + "only.",
                meaning: TapcardError.unchanged, next: [.trust(.useAtIssuerStation)], uid: uid)
        }
        // Refused before a key is tried, because the chip counts failed attempts.
        if known != nil, keys.entries.allSatisfy({ $0.cardKey(uid: uid.bytes) == nil }) {
            throw .refused(.notInTable(uid))
        }
    }

    /// The key in the table for this card, if that alone is enough to write to it: all its keys
    /// have one version, it has the credit that the ledger knows, and no other key has to seal.
    private func entryOfTable(for reading: CardReading) throws(Interruption) -> KeyEntry {
        guard case .ntag424(let chip) = reading.medium, let known = reading.known,
            let visit = chip.visit,
            chip.isComplete, let grant = visit.grant
        else {
            // The grant is read without proof, so reading it once is not enough.
            throw .claimed(
                .needsIssuer(
                    "This station has only a table of card keys and cannot finish making this "
                        + "card.", reading.uid))
        }
        let spent = visit.slots.spent(at: known.issued[known.card.confirmed]?.bytes)
        guard grant.granted >= known.balance.minorUnits + spent else {
            throw .refused(
                .needsIssuer(
                    "This station has only a table of card keys and cannot write the card's booked "
                        + "top-up to its credit grant.", reading.uid))
        }
        let own = keys.entries.first { NTAG424CardKeys.version(of: $0.id) == visit.card.version }
        // If the ledger specifies the sealing key, a card sealed with another one needs newer keys
        // first.
        guard let own, own.status != .retired, own.id == keys.sealing.id || !keySource.isCommon
        else {
            throw .refused(
                .needsIssuer(
                    "This station has only a table of card keys and cannot write the newer keys "
                        + "that this card needs.", reading.uid))
        }
        return own
    }

    /// The error for a chip whose keys this station does not have.
    func lackingChipKeys(_ version: UInt8, _ uid: CardUID) -> TapcardError {
        keys.isTable ? .notInTable(uid) : .foreignChip(version, uid)
    }
}

extension SealedRecord {
    /// The record for a card, sealed with one of the station's keys; nil for a balance that no card
    /// can hold, and for a card that is not in the station's table.
    ///
    /// On an NTAG 424 no name is sealed: the chip stores none, and its keys already prove which
    /// card it is.
    init?(_ content: SealedContent, on medium: CardReading.Medium, under entry: KeyEntry) {
        guard let cardKey = entry.cardKey(uid: content.uid.bytes) else { return nil }
        var holder = content.holder
        if case .ntag424 = medium { holder = .nobody }
        self.init(
            uid: content.uid, sequence: content.sequence, balance: content.balance,
            state: State(content.scratch), holder: holder, keyID: entry.id,
            cardKey: cardKey)
    }
}
