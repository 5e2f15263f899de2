import Tags

/// One state of a card, in one of the four slots: the sealed record that every tapcard card has,
/// and the total spent. The state takes 31 bytes, so that a protected write fits in one block on
/// every reader.
package struct NTAG424Slot: Hashable, Sendable {
    package static let byteCount = 31
    /// Always zero; reserved for the total and the number of offline payments.
    private static let spareByteCount = 5
    private static let checksumByteCount = 4

    /// The sealed record, as bytes.
    package let record: [UInt8]
    /// The total spent so far, in minor units.
    package let spent: Int64

    /// `nil` if the record has the wrong length or the total does not fit in a slot.
    package init?(record: [UInt8], spent: Int64) {
        guard record.count == SealedRecord.byteCount, (0...Grant.maximum).contains(spent) else {
            return nil
        }
        (self.record, self.spent) = (record, spent)
    }

    /// Reads a slot. `nil` for anything that `bytes` would not produce.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == NTAG424Slot.byteCount else { return nil }
        // Six bytes hold up to 48 bits, the maximum of `Grant`.
        let sum = bytes[SealedRecord.byteCount...].prefix(6)
        self.init(
            record: Array(bytes.prefix(SealedRecord.byteCount)), spent: FixedNumber.value(sum))
        // The comparison covers the checksum and the spare bytes: only one encoding is valid, so
        // nothing can be hidden in them.
        guard self.bytes == bytes else { return nil }
    }

    package var bytes: [UInt8] {
        let body =
            record + FixedNumber.bytes(spent, count: 6)
            + [UInt8](repeating: 0, count: NTAG424Slot.spareByteCount)
        return body + NTAG424Slot.checksum(body)
    }

    /// Detects a torn slot, in case the chip ever writes a slot only partially. In transit, the
    /// chip's own MACs protect the slot.
    private static func checksum(_ body: [UInt8]) -> [UInt8] {
        let checksum = KeyChange.checksum(body)
        precondition(checksum.count == checksumByteCount, "CRC-32 has four bytes")
        return checksum
    }
}

/// The four slots in the card's own file.
package struct NTAG424Slots: Hashable, Sendable {
    package static let count = 4
    /// The distance between slots, in bytes. The last byte of each is never written.
    static let pitch = 32
    package static let byteCount = count * pitch

    /// The four slots; `nil` for a slot that was never written or is torn.
    package let slots: [NTAG424Slot?]
    /// The bytes of each slot's record: all zeros for a slot that was never written, all ones for a
    /// slot that is not intact.
    package let records: [[UInt8]]

    /// Reads the whole file. `nil` for any other number of bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == NTAG424Slots.byteCount else { return nil }
        let found = stride(from: 0, to: bytes.count, by: NTAG424Slots.pitch).map { start in
            Array(bytes[start..<(start + NTAG424Slot.byteCount)])
        }
        let slots = found.map(NTAG424Slot.init)
        self.slots = slots
        records = zip(found, slots).map { bytes, slot in
            let isBlank = bytes.allSatisfy { $0 == 0 }
            return slot?.record
                // `RecordSlots` treats all zeros as a blank slot. All ones are an unknown format,
                // so it treats them as a broken slot.
                ?? [UInt8](repeating: isBlank ? 0 : .max, count: SealedRecord.byteCount)
        }
    }

    /// The total spent when this record was written; the highest total in any slot if the record is
    /// not on the card.
    package func spent(at record: [UInt8]?) -> Int64 {
        let all = slots.compactMap { $0 }
        // The highest total is used, because the total spent must never decrease (rule 56).
        return all.first { $0.record == record }?.spent ?? all.map(\.spent).max() ?? 0
    }
}
