package import Cards
import Ledger
import PortDoubles
import Tags
package import TapcardDomain

extension Invariant {
    /// The rules for one transaction: I1, I2, I5 and I13.
    static func broken(from before: LedgerTables, to after: LedgerTables) -> [Violation] {
        var found: [Violation] = []
        for (uid, card) in before.cards {
            guard let now = after.cards[uid] else {
                found.append(Violation(.i1, "card \(uid) should be in the ledger but is missing"))
                continue
            }
            if now.confirmed < card.confirmed {
                found.append(
                    Violation(.i5, "confirmed fell from \(card.confirmed) to \(now.confirmed)"))
            }
            if now.allocated < card.allocated {
                found.append(
                    Violation(.i5, "allocated fell from \(card.allocated) to \(now.allocated)"))
            }
        }
        for (id, operation) in before.operations {
            guard let now = after.operations[id], now.uid == operation.uid,
                now.kind == operation.kind, now.amount == operation.amount,
                now.reverses == operation.reverses
            else {
                found.append(Violation(.i2, "operation \(id) is another one now"))
                continue
            }
            if operation.state == .pending, now.state == .committed, operation.kind.isVoidable,
                before.cards[operation.uid]?.status != .active
            {
                found.append(Violation(.i13, "\(operation.kind.rawValue) was booked"))
            }
            if operation.state != .pending, now != operation {
                found.append(Violation(.i2, "operation \(id) changed after its end"))
            }
        }
        for (uid, records) in before.issued {
            for (number, record) in records where after.issued[uid]?[number] != record {
                found.append(Violation(.i5, "what was made for number \(number) has changed"))
            }
        }
        return found
    }
}

extension RestingWorld {
    /// The rules that hold whenever the card is at rest, whatever was begun and not ended.
    package func broken() async -> [Violation] { await ledgerBroken() + tagBroken() }

    /// The tag's part: I4, I11, the text for phones and the settings, with weak pages as they are
    /// and after all or one of them turned bad; and I9.
    package func tagBroken() -> [Violation] {
        var found = bytesBroken + activationBroken
        for world in decays {
            found += world.bytesBroken.map {
                Violation($0.invariant, $0.detail + ", once weak pages have turned bad")
            }
        }
        return found
    }

    private var bytesBroken: [Violation] {
        recordsBroken() + displayBroken + protectionBroken() + chipBroken()
    }

    /// I9: the service has activated at most one code of a card, which is the card's own, and
    /// everything that the ledger calls activated.
    private var activationBroken: [Violation] {
        let own = card?.scratch.code
        var found: [Violation] = []
        if active.count > 1 || !active.isSubset(of: own.map { [$0] } ?? []) {
            found.append(
                Violation(.i9, "\(active.count) codes are active; the card's is \(own as Any)"))
        }
        let attempts = ledger.activations
        if !active.isSubset(of: Set(attempts.map(\.code))) {
            found.append(Violation(.i9, "the service was asked before that was durable"))
        }
        for attempt in attempts where attempt.state == .active && !active.contains(attempt.code) {
            found.append(Violation(.i9, "a yes is noted that the service never said"))
        }
        if case .activated(let code) = card?.scratch, !active.contains(code) {
            found.append(Violation(.i9, "a code is called active that the service never made so"))
        }
        return found
    }

    /// The ledger's part: its own check, and the same rules checked on its rows.
    package func ledgerBroken() async -> [Violation] {
        let report: AuditReport
        do {
            report = try await TableLedger(ledger).audit()
        } catch {
            return [Violation(.i1, "the ledger cannot be checked: \(error)")]
        }
        var found = report.violations.map { words in
            let name = words.split(separator: ":").first.map(String.init) ?? ""
            return Violation(Invariant(rawValue: name) ?? .i1, words)
        }
        found += ledger.rowsBroken
        if card != nil {
            let expected = ledger.operations.values.filter { $0.uid == uid }
                .reduce(0) { $0 + $1.lastingChange }
            if balance != expected {
                found.append(Violation(.i1, "the card has \(balance), its operations \(expected)"))
            }
        }
        return found
    }

    /// I4: as long as the ledger does not know the card, nothing on the tag is new.
    package func touchedTooSoon(since before: RestingWorld) -> [Violation] {
        card != nil || (memory == before.memory && weak == before.weak)
            ? [] : [Violation(.i4, "the tag was written, and the ledger has no card")]
    }

    /// I4 and I11: every valid record on the tag was issued, and enough of them are left.
    func recordsBroken() -> [Violation] {
        guard let card, let slots else { return [] }
        var found: [Violation] = []
        for (slot, bytes) in zip(slots.slots, slots.bytes) {
            guard case .valid(let record) = slot,
                ledger.issued[uid]?[record.sequence]?.bytes != bytes
            else { continue }
            found.append(
                Violation(.i4, "record \(record.sequence) on the tag is not the one issued"))
        }
        let best = bestSequence
        if best < card.confirmed, !isFormatted(slots, card) {
            found.append(
                Violation(
                    .i11,
                    "the tag has no valid record above \(best); \(card.confirmed) is confirmed"))
        }
        return found
    }

    private func isFormatted(_ slots: RecordSlots, _ card: LedgerCard) -> Bool {
        card.status == .closed && slots.slots.allSatisfy { $0 == .blank }
    }

    /// The card's pages; nil for an NTAG 424.
    var image: CardImage? {
        guard case .pages(let tag) = memory, let layout = tag.chip.model.flatMap(CardLayout.init)
        else { return nil }
        return CardImage(layout.pages.flatMap { tag[$0].bytes }, layout: layout)
    }

    /// The records as the issuer's keys open them.
    package var slots: RecordSlots? {
        records.map { records in
            RecordSlots(
                records, uid: uid, holders: [.nobody] + (card.map { [$0.holder] } ?? []),
                currency: .usd, keys: keys)
        }
    }

    /// The highest number whose sixteen bytes on the tag are those that the ledger made for it.
    package var bestSequence: SequenceNumber {
        let numbers = (records ?? []).compactMap { bytes in
            SealedRecord(bytes).flatMap { record in
                ledger.issued[uid]?[record.sequence]?.bytes == bytes ? record.sequence : nil
            }
        }
        return numbers.max() ?? .none
    }

    /// Phones read a balance that the card has had, not that of an open or void payment. A card
    /// that is being adopted shows what it showed before.
    private var displayBroken: [Violation] {
        guard let card, let shown = image?.content(in: .usd).face?.balance.minorUnits,
            open?.kind != .adopt
        else { return [] }
        let balances = (ledger.issued[uid] ?? [:]).values.compactMap { row -> Int64? in
            guard let operation = ledger.operations[row.operation],
                operation.state == .committed || operation.kind == .reseal
            else { return nil }
            return SealedRecord(row.bytes).map { Int64($0.balance) }
        }
        return balances.contains(shown)
            ? [] : [Violation(.display, "a phone reads \(shown), which \(card.uid) never had")]
    }
}
