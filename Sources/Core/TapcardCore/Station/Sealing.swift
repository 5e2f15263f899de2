import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// Seals records with a station's keys, and refuses to make cards at a reader that is not trusted.
struct Sealing {
    let keySource: KeyRingSource
    let isReaderTrusted: Bool
    private var keys: KeyRing { keySource.current }

    /// The sealer for a card, with the key that all stations on the ledger use. Throws, before the
    /// operation begins, if this station lacks that key.
    func sealer(of reading: CardReading) throws(Interruption) -> RecordSealer {
        if let missing = keySource.missing { throw .refused(.lackingKey(missing)) }
        let (entry, medium) = (keys.sealing, reading.medium)
        return RecordSealer(
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

    /// Refuses an action that needs a trusted reader, before waiting for a card.
    func requirePermission(for action: CardAction) throws(TapcardError) {
        switch action {
        case .make, .protect, .unprotect: try requireTrustedReader()
        case .add, .credit, .refund, .claim, .pay, .reverse, .scratch, .activate, .ticket, .close,
            .game, .reseal:
            return
        }
    }

    /// Throws if the reader is not trusted. Making a card would show its keys and passwords to the
    /// machine that drives the reader.
    func requireTrustedReader(_ uid: CardUID? = nil) throws(TapcardError) {
        if !isReaderTrusted { throw .untrustedReader(uid) }
    }
}

extension SealedRecord {
    /// Creates the record for a card, sealed with one of the station's keys. Nil for a balance that
    /// no card can hold.
    ///
    /// On an NTAG 424, the seal covers no name: the chip stores none, and its keys already prove
    /// which card it is.
    init?(_ content: SealedContent, on medium: CardReading.Medium, under entry: KeyEntry) {
        var holder = content.holder
        if case .ntag424 = medium { holder = .nobody }
        self.init(
            uid: content.uid, sequence: content.sequence, balance: content.balance,
            state: State(content.scratch), holder: holder, keyID: entry.id,
            cardKey: entry.masters.cardKey(uid: content.uid.bytes))
    }
}

extension TapcardError {
    /// Thrown if a card would be made, or finished, at a reader that is not trusted.
    static func untrustedReader(_ uid: CardUID? = nil) -> TapcardError {
        TapcardError(
            .refusal(.wrongState), "Cards cannot be made at this till.", meaning: unchanged,
            next: [.trust(.useTrustedReader)], uid: uid)
    }
}
