import CardCryptography
import Cards
import Ledger
import TapcardDomain

/// How a record without a valid seal probably came about, based on its bytes.
///
/// This is a hint, not proof: a thief can make a forged record look torn.
enum Trace: Hashable {
    /// Each page was once written to the card, or is a mixture of two such pages.
    case torn
    /// The fields can be parsed, but they were never sealed like this for this card.
    case tampered(SealedRecord)
    /// The bytes are unlike anything that was ever written to the card.
    case overwritten

    /// `written` contains the records that may have been in the slot. Writing to a slot may have
    /// been interrupted more than once, so each page is checked separately.
    init(_ bytes: [UInt8], written: [[UInt8]]) {
        // A slot starts out as zeros, and a torn page may also read as zeros.
        let written = written + [[UInt8](repeating: 0, count: SealedRecord.byteCount)]
        let pageSize = SealedRecord.byteCount / SealedRecord.pageCount
        let isTorn = stride(from: 0, to: bytes.count, by: pageSize).allSatisfy { start in
            written.contains { new in
                written.contains { old in
                    Trace.isMixture(bytes, of: old, new, in: start..<start + pageSize)
                }
            }
        }
        if isTorn {
            self = .torn
        } else {
            self = SealedRecord(bytes).map(Trace.tampered) ?? .overwritten
        }
    }

    /// Whether a page may be a mixture of two records: a page torn between them has no bit set that
    /// is clear in both of them.
    private static func isMixture(
        _ bytes: [UInt8], of old: [UInt8], _ new: [UInt8], in page: Range<Int>
    ) -> Bool {
        page.allSatisfy { bytes[$0] & ~(old[$0] | new[$0]) == 0 }
    }
}

/// Logs hints about what is wrong with a tag's contents.
struct TagHints: StationWork {
    let station: Station

    /// How many of the most recent records are compared with a damaged slot.
    private static let recentCount = 32

    /// Logs what is wrong with a tag's contents, and whether it looks like an accident or like
    /// tampering. No decision is based on this.
    func logFindings(on reading: CardReading) async {
        for text in await evidence(on: reading) { dependencies.progress(.hint(text)) }
    }

    private func evidence(on reading: CardReading) async -> [String] {
        guard let known = reading.known, known.open?.kind.makesCard != true else { return [] }
        // An interrupted write damages one slot; it never empties all of them.
        guard reading.slots.best != nil || !reading.slots.isBlank else {
            // The tag was formatted after its card was closed or replaced, so this is expected.
            if reading.formattedRefusal != nil { return [] }
            let all = reading.pages == nil ? "all" : "both"
            return [
                "\(all) records are missing; the tag was erased, or this is another tag with the "
                    + "same number"
            ]
        }
        var found: [String] = []
        // If the ledger fails here, the tap continues; it asks the ledger again before it decides
        // anything.
        if reading.slots.hasSuspectSlot, let written = try? await written(on: known) {
            for slotIndex in reading.slots.slots.indices {
                if let text = describe(slotIndex, of: reading, written) { found.append(text) }
            }
        }
        if let best = reading.slots.best?.record {
            let number = "the newest record with a valid seal is number \(best.sequence)"
            if best.sequence < known.card.confirmed {
                found.append(
                    "\(number); the ledger has already confirmed number \(known.card.confirmed)")
            } else if best.sequence > known.card.allocated || known.isInGap(best.sequence) {
                let reason =
                    known.gaps.isEmpty
                    ? "; an older copy of the ledger is in place, or someone else has key "
                        + "\(best.keyID)"
                    : ""
                found.append("\(number); this ledger never issued that number\(reason)")
            } else if known.issued[best.sequence]?.bytes != best.bytes {
                found.append(
                    "\(number); this ledger issued other bytes for that number, so someone else "
                        + "has key \(best.keyID)")
            }
        }
        if let text = describeFace(on: reading, known) { found.append(text) }
        return found
    }

    private func describe(
        _ slotIndex: Int, of reading: CardReading, _ written: Written
    ) -> String? {
        let slots = reading.slots
        let name = "the \(["first", "second", "third", "fourth"][slotIndex]) record"
        switch slots.slots[slotIndex] {
        case .blank, .valid: return nil
        case .retired(let record):
            return "\(name) is sealed with key \(record.keyID), which is retired"
        case .broken, .unsealed: break
        }
        if reading.isPartlyWritten(at: slotIndex) {
            return "\(name) is only partly written, as happens when a card is removed during "
                + "writing"
        }
        // An old record is not suspicious, even if its key or holder has changed since.
        let recent = written.recent
        if recent.contains(where: { $0.bytes == slots.bytes[slotIndex] }) { return nil }
        let trace = Trace(slots.bytes[slotIndex], written: recent.map(\.bytes))
        if case .torn = trace {
            return "\(name) looks only partly written, as happens when a card is removed during "
                + "writing"
        }
        guard written.isComplete else {
            return "\(name) is unknown to this ledger; it may be older than the ledger's "
                + "oldest record, or it was made elsewhere"
        }
        guard case .tampered(let record) = trace else {
            return "\(name) was overwritten with something else"
        }
        let text =
            "\(name) was tampered with: it is complete and shows number \(record.sequence) with "
            + shown(record)
        let made = recent.first { $0.sequence == record.sequence }.flatMap {
            SealedRecord($0.bytes)
        }
        guard let made, made.balance != record.balance else {
            return "\(text), but its seal is invalid"
        }
        return "\(text), but that number was sealed with \(shown(made))"
    }

    private func shown(_ record: SealedRecord) -> String {
        Money(minorUnits: Int64(record.balance), currency).shown
    }

    /// The records recently made for the card, each of which may have been in a slot.
    private func written(on known: KnownCard) async throws(LedgerError) -> Written {
        let uid = known.card.uid
        return try await ledger.read { rows throws(LedgerError) in
            let all = try rows.issuedRecords(on: uid)
            return Written(
                recent: all.suffix(TagHints.recentCount),
                isComplete: known.gaps.isEmpty && all.first?.sequence == SequenceNumber.none.next())
        }
    }

    /// Compares the text for phones with the ledger. The hint contains no names or codes, because
    /// other people read the log.
    private func describeFace(on reading: CardReading, _ known: KnownCard) -> String? {
        let name = "the NFC text for phones"
        guard let pages = reading.pages else { return nil }
        if known.card.isDisplayStale || pages.layout.isGuarded(pages.image.area) {
            return "\(name) is only partly written, because an earlier tap was interrupted"
        }
        // While an operation is open, the text for phones may legitimately be out of date.
        guard known.open == nil, reading.slots.best?.record.sequence == known.card.confirmed else {
            return nil
        }
        guard let face = reading.content.face else {
            return "\(name) was altered: it cannot be parsed as a card"
        }
        if face.balance != known.balance {
            return "\(name) was altered: it shows the balance \(face.balance.shown), but the "
                + "ledger has "
                + known.balance.shown
        }
        let content = known.card.content(known.card.confirmed, balance: known.balance)
        if face.holder != content.holder {
            return "\(name) was altered: its cardholder differs from the ledger's"
        }
        if face.style == .tapcard, face.scratch != content.scratch {
            return "\(name) was altered: its code or state differs from the ledger's"
        }
        var own = known.card.face(showing: content)
        // Members added by other software take up space, so the ticket or game may legitimately be
        // missing.
        own.extras = face.extras
        let shown = own.shown(in: pages.layout)
        if (face.ticket, face.game) != (shown.ticket, shown.game) {
            return "\(name) was altered: its ticket or game differs from the ledger's"
        }
        return nil
    }
}

extension CardReading {
    /// Whether this slot of a chip is only partly written, according to the slot's own checksum.
    fileprivate func isPartlyWritten(at slotIndex: Int) -> Bool {
        guard case .ntag424(let chip) = medium, let visit = chip.visit else { return false }
        return visit.slots.slots[slotIndex] == nil
    }
}

/// The records that may have been in a slot.
private struct Written: Sendable {
    let recent: [IssuedRecord]
    /// Whether these are all the records ever made for the card: its first record is known, and no
    /// restored backup left a gap.
    let isComplete: Bool
}

extension RecordSlots {
    /// Whether any slot is neither blank nor filled with a record that has a valid seal.
    fileprivate var hasSuspectSlot: Bool {
        slots.contains { slot in
            switch slot {
            case .broken, .unsealed, .retired: true
            case .blank, .valid: false
            }
        }
    }
}
