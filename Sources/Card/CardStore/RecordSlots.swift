public import CardCryptography
public import CardImage
public import TapcardDomain

/// The two places for records on a tag, and what is to be believed of each.
public struct RecordSlots: Hashable, Sendable {
    /// What one place holds.
    public enum Slot: Hashable, Sendable {
        /// Never written.
        case blank
        /// Torn, overwritten by another writer, or never a record.
        case broken
        /// The fields are whole, but the seal is not true: another chip's, another holder's, made
        /// up, or torn.
        case unsealed(SealedRecord)
        /// The seal is true but was made with a key that is given up.
        case retired(SealedRecord)
        case valid(SealedRecord)
    }

    public let slots: [Slot]
    /// The bytes in the places, which is what a ledger can compare.
    public let bytes: [[UInt8]]

    /// Checks the seals of both places. A record is for one of the `holders`; where the list is
    /// empty, no seal is true.
    public init(
        _ image: CardImage, uid: CardUID, holders: [Holder], currency: Currency, keys: KeyRing
    ) {
        bytes = image.records
        // Deriving a card's key takes as long as checking a seal: both records have the same one.
        var cardKeys: [UInt8: [UInt8]] = [:]
        slots = image.records.map { bytes in
            if bytes.allSatisfy({ $0 == 0 }) { return .blank }
            guard let record = SealedRecord(bytes) else { return .broken }
            guard let entry = keys.entry(record.keyID) else { return .unsealed(record) }
            let key = cardKeys[entry.id] ?? entry.keys.cardKey(uid: uid.bytes)
            cardKeys[entry.id] = key
            let isSealed = holders.contains {
                record.isSealed(uid: uid, holder: $0, currency: currency, cardKey: key)
            }
            if !isSealed { return .unsealed(record) }
            return entry.status == .retired ? .retired(record) : .valid(record)
        }
    }

    /// The same with records believed that the ledger itself has issued: their bytes are ours
    /// whatever became of the name or the key that they were sealed with.
    public func believing(_ isIssued: ([UInt8]) -> Bool) -> RecordSlots {
        RecordSlots(
            slots: zip(slots, bytes).map { slot, bytes in
                switch slot {
                case .unsealed(let record), .retired(let record):
                    isIssued(bytes) ? .valid(record) : slot
                case .blank, .broken, .valid: slot
                }
            }, bytes: bytes)
    }

    private init(slots: [Slot], bytes: [[UInt8]]) {
        self.slots = slots
        self.bytes = bytes
    }

    /// The place and the record that count: the valid one with the highest number.
    public var best: (place: Int, record: SealedRecord)? {
        var best: (place: Int, record: SealedRecord)?
        for (place, slot) in slots.enumerated() {
            guard case .valid(let record) = slot else { continue }
            if best.map({ $0.record.sequence < record.sequence }) ?? true {
                best = (place, record)
            }
        }
        return best
    }

    public var hasRetired: Bool {
        slots.contains { if case .retired = $0 { true } else { false } }
    }

    /// Whether something stands there that has the form of a record, however little it is worth.
    public var hasUnsealed: Bool {
        slots.contains { if case .unsealed = $0 { true } else { false } }
    }

    /// The numbers of all records, to ask the ledger about.
    public var sequences: [SequenceNumber] {
        slots.compactMap { slot in
            switch slot {
            case .valid(let record), .retired(let record), .unsealed(let record): record.sequence
            case .blank, .broken: nil
            }
        }
    }

    /// Where the next record goes: never over the last confirmed one, even if another valid one
    /// is newer. A newer one that is not confirmed may rest on weak bits and be gone tomorrow.
    public func target(keeping confirmed: SequenceNumber) -> Int {
        #if LEAVE_RULES_OUT
        if LeftOutRule.current == .keepConfirmedRecord { return 1 - (best?.place ?? 1) }
        #endif
        for (place, slot) in slots.enumerated() {
            if case .valid(let record) = slot, record.sequence == confirmed { return 1 - place }
        }
        return best.map { 1 - $0.place } ?? 0
    }
}
