import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// Seals records with a station's keys.
///
/// A station that has only a table of card keys can take payments from the cards in the table. A
/// request that would give a card credit or other keys is refused there before it begins.
struct Sealing {
    let keySource: KeyRingSource
    let isReaderTrusted: Bool
    private var keys: KeyRing { keySource.current }

    /// The sealer for a card, with the key that all stations on the ledger use. Throws, before the
    /// operation begins, if this station lacks that key, or if it has only a table of card keys and
    /// this card needs more.
    func sealer(of reading: CardReading) throws(Interruption) -> RecordSealer {
        if let missing = keySource.missing {
            throw .refused(.lackingKey(missing, isTable: keys.isTable))
        }
        return sealer(
            with: keys.isTable ? try tableEntry(for: reading) : keys.sealing, on: reading.medium)
    }

    private func sealer(with entry: KeyEntry, on medium: CardReading.Medium) -> RecordSealer {
        RecordSealer(
            keyID: entry.id,
            seal: { content in
                guard let record = SealedRecord(content, on: medium, under: entry) else {
                    // The ledger never accepts a balance that does not fit in a record, so this is
                    // a programming error.
                    preconditionFailure("the ledger let a balance pass that no card can hold")
                }
                return record.bytes
            })
    }

    /// Refuses an action that needs the load key or a trusted reader, before waiting for a card.
    func requirePermission(for action: CardAction) throws(TapcardError) {
        switch action {
        case .add, .credit, .refund, .claim: try requireLoading()
        case .make:
            try requireLoading()
            try requireTrustedReader()
        case .protect, .unprotect: try requireTrustedReader()
        case .pay, .reverse, .scratch, .activate, .ticket, .close, .game, .reseal: return
        }
    }

    /// Throws if the reader is not trusted. Making a card would show its keys and passwords to the
    /// machine that drives the reader.
    func requireTrustedReader(_ uid: CardUID? = nil) throws(TapcardError) {
        if !isReaderTrusted { throw .untrustedReader(uid) }
    }

    /// Throws if this station does not have the load key.
    func requireLoading() throws(TapcardError) {
        guard keys.isTable else { return }
        throw .needsIssuer(
            "This station has only a table of card keys and cannot make cards or top them up.")
    }

    /// At a station with a table of card keys, refuses a card that is not in the table or whose
    /// keys can only be derived from the issuer's master keys.
    func requireInTable(
        _ identity: TagIdentity, _ uid: CardUID, _ known: KnownCard?
    ) throws(Interruption) {
        guard keys.isTable else { return }
        guard identity.usesBlocks else {
            throw .refused(
                .keyMissing,
                "This is not an NTAG 424, but this station's table has keys for NTAG 424 cards "
                    + "only.",
                meaning: TapcardError.unchanged, next: [.trust(.useAtIssuerStation)], uid: uid)
        }
        // The card is refused before a key is tried, because the chip counts failed attempts.
        if known != nil, keys.entries.allSatisfy({ $0.cardKey(uid: uid.bytes) == nil }) {
            throw .refused(.notInTable(uid))
        }
    }

    /// The key in the table for this card. Throws if that key alone is not enough to write to the
    /// card: the chip's keys must all have one version, its grant must include every top-up that
    /// the ledger has booked, and no other key may be required for the seal.
    private func tableEntry(for reading: CardReading) throws(Interruption) -> KeyEntry {
        guard case .ntag424(let chip) = reading.medium, let known = reading.known,
            let visit = chip.visit,
            chip.isComplete, let grant = visit.grant
        else {
            // The chip does not prove what it reports here, so a single reading is not enough.
            throw .claimed(
                .needsIssuer(
                    "This station has only a table of card keys and cannot finish making this "
                        + "card.", reading.uid))
        }
        // The balance is the grant minus everything spent so far.
        let spent = visit.slots.spent(at: known.issued[known.card.confirmed]?.bytes)
        guard grant.granted >= known.balance.minorUnits + spent else {
            throw .refused(
                .needsIssuer(
                    "This station has only a table of card keys and cannot write the card's "
                        + "recorded top-up to its credit grant.", reading.uid))
        }
        let own = keys.entries.first { NTAG424CardKeys.version(of: $0.id) == visit.card.version }
        // If the ledger specifies the sealing key, a card whose keys have another version must
        // first get newer keys.
        guard let own, own.status != .retired, own.id == keys.sealing.id || !keySource.isCommon
        else {
            throw .refused(
                .needsIssuer(
                    "This station has only a table of card keys and cannot write the newer keys "
                        + "that this card needs.", reading.uid))
        }
        return own
    }

    /// The error for a chip with keys that this station does not have.
    func lackingChipKeys(_ version: UInt8, _ uid: CardUID) -> TapcardError {
        keys.isTable ? .notInTable(uid) : .foreignChip(version, uid)
    }
}

extension SealedRecord {
    /// Creates the record for a card, sealed with one of the station's keys. Nil for a balance that
    /// no card can hold, and for a card that is not in the station's table.
    ///
    /// On an NTAG 424, the seal covers no name: the chip stores none, and its keys already prove
    /// which card it is.
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
