package import CardCryptography
package import TapcardDomain

/// The record slots of a card and the validity of each slot: two slots on an NTAG21x, four on an
/// NTAG 424.
package struct RecordSlots: Hashable, Sendable {
    /// The content of one slot.
    package enum Slot: Hashable, Sendable {
        /// Never written.
        case blank
        /// Torn, overwritten by other software, or never a record.
        case broken
        /// The fields are complete, but the seal is invalid: the record was made for another chip
        /// or cardholder, forged, or torn.
        case unsealed(SealedRecord)
        /// The seal is valid but was made with a retired key.
        case retired(SealedRecord)
        case valid(SealedRecord)
    }

    package let slots: [Slot]
    /// The bytes in the slots, for comparison with the ledger.
    package let bytes: [[UInt8]]

    /// Checks the seals of all slots. A seal is valid if it was made for any of the `holders`, so
    /// with an empty list, no seal is valid.
    package init(
        _ records: [[UInt8]], uid: CardUID, holders: [Holder], currency: Currency, keys: KeyRing
    ) {
        bytes = records
        // Cached, because deriving a card's key takes as long as checking a seal, and most records
        // use the same key.
        var cardKeys: [UInt8: [UInt8]] = [:]
        slots = records.map { bytes in
            if bytes.allSatisfy({ $0 == 0 }) { return .blank }
            guard let record = SealedRecord(bytes) else { return .broken }
            guard let entry = keys.entry(record.keyID) else { return .unsealed(record) }
            let key = cardKeys[entry.id] ?? entry.masters.cardKey(uid: uid.bytes)
            cardKeys[entry.id] = key
            let isSealed = holders.contains {
                record.isSealed(uid: uid, holder: $0, currency: currency, cardKey: key)
            }
            if !isSealed { return .unsealed(record) }
            return entry.status == .retired ? .retired(record) : .valid(record)
        }
    }

    /// These slots, with every record that the ledger issued counted as valid. Such a record is
    /// ours even if the cardholder's name or the keys have changed since.
    package func acceptingIssued(_ isIssued: ([UInt8]) -> Bool) -> RecordSlots {
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

    /// The valid record with the highest sequence number, and its slot.
    package var best: (slotIndex: Int, record: SealedRecord)? {
        var best: (slotIndex: Int, record: SealedRecord)?
        for (slotIndex, slot) in slots.enumerated() {
            // If numbers are equal, the first slot wins; the ledger never issues the same number
            // twice (rule 3).
            guard case .valid(let record) = slot else { continue }
            if best.map({ $0.record.sequence < record.sequence }) ?? true {
                best = (slotIndex, record)
            }
        }
        return best
    }

    /// Whether no slot has ever been written.
    package var isBlank: Bool { slots.allSatisfy { $0 == .blank } }

    package var hasRetired: Bool {
        slots.contains { if case .retired = $0 { true } else { false } }
    }

    /// Whether any slot holds a record whose seal is invalid.
    package var hasInvalidSeal: Bool {
        slots.contains { if case .unsealed = $0 { true } else { false } }
    }

    /// The sequence numbers of all records, for looking them up in the ledger.
    package var sequences: [SequenceNumber] {
        slots.compactMap { slot in
            switch slot {
            case .valid(let record), .retired(let record), .unsealed(let record): record.sequence
            case .blank, .broken: nil
            }
        }
    }

    /// All slots except the one with the best record.
    package var others: [Slot] {
        let best = best?.slotIndex
        return slots.indices.filter { $0 != best }.map { slots[$0] }
    }

    /// The slot for the next record: never the one with the last confirmed record, even if the tag
    /// has a newer valid record. A newer record that has not been confirmed may have weak bits and
    /// be lost later. Of the other slots, one without a valid record is chosen if there is one;
    /// otherwise, the one with the oldest record.
    package func target(keeping confirmed: SequenceNumber) -> Int {
        // Only for testing rules 1 and 53: these choices overwrite a record that must be kept.
        if SafetyRule.keepConfirmedRecord.isDisabled { return 1 - (best?.slotIndex ?? 1) }
        if SafetyRule.oldestState.isDisabled { return best?.slotIndex ?? 0 }
        // If the confirmed record is not on the tag, the best record is kept instead.
        let kept = slots.firstIndex { $0.valid?.sequence == confirmed } ?? best?.slotIndex
        let free = slots.indices.filter { $0 != kept }
        return free.min { left, right in
            // A slot without a valid record counts as the oldest, so it is overwritten first.
            (slots[left].valid?.sequence ?? .none) < (slots[right].valid?.sequence ?? .none)
        } ?? 0
    }
}

extension RecordSlots.Slot {
    fileprivate var valid: SealedRecord? {
        if case .valid(let record) = self { record } else { nil }
    }
}
