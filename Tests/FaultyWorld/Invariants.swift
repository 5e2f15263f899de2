import CardImage
package import CardStore
package import Ledger
package import TapcardDomain
import Type2Tag

extension Invariant {
    /// What one transaction must not do: I2, I3 and I5.
    static func broken(from before: LedgerTables, to after: LedgerTables) -> [Violation] {
        var found: [Violation] = []
        for (uid, card) in before.cards {
            guard let now = after.cards[uid] else {
                found.append(Violation(.i1, "card \(uid) has vanished"))
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
            if operation.state != .pending, now != operation {
                found.append(Violation(.i2, "operation \(id) changed after its end"))
            }
        }
        return found
    }
}

extension RestingWorld {
    /// What must hold whenever the card lies still, whatever was begun and not ended.
    package func broken() async -> [Violation] { await ledgerBroken() + tagBroken() }

    /// The part of it that the tag has: I4, I11 (with its weak pages as they are, and once they
    /// have turned bad), and what phones read.
    package func tagBroken() -> [Violation] {
        var found = recordsBroken()
        if !weak.isEmpty {
            for decay in [Decay.toZero, .toOld] {
                found += decayed(decay).recordsBroken().map {
                    Violation($0.invariant, $0.detail + ", once weak pages have turned bad")
                }
            }
        }
        if let problem = displayBroken { found.append(problem) }
        return found
    }

    /// The part that the ledger has: its own check, that a card has what its operations left, I9.
    package func ledgerBroken() async -> [Violation] {
        let report: AuditReport
        do {
            report = try await LedgerAtRest(tables: ledger).audit()
        } catch {
            return [Violation(.i1, "the ledger cannot be checked: \(error)")]
        }
        var found = report.violations.map { words in
            let name = words.split(separator: ":").first.map(String.init) ?? ""
            return Violation(Invariant(rawValue: name) ?? .i1, words)
        }
        let activations = ledger.operations.values.count {
            $0.uid == uid && $0.kind == .activate && $0.state == .committed
        }
        if activations > 1 { found.append(Violation(.i9, "\(activations) activations happened")) }
        if card != nil {
            let expected = ledger.operations.values.filter { $0.uid == uid }
                .reduce(0) { $0 + $1.lastingChange }
            if balance != expected {
                found.append(Violation(.i1, "the card has \(balance), its operations \(expected)"))
            }
        }
        return found
    }

    /// I4 and I11: what of the tag is valid was issued, and enough of it is.
    func recordsBroken() -> [Violation] {
        guard let card, let slots else { return [] }
        var found: [Violation] = []
        for (slot, bytes) in zip(slots.slots, slots.bytes) {
            guard case .valid(let record) = slot else { continue }
            let row = ledger.issued[uid]?[record.sequence]
            if row?.bytes != bytes {
                found.append(
                    Violation(.i4, "record \(record.sequence) on the tag is not the one issued"))
            }
        }
        let best = slots.best?.record.sequence ?? .none
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

    var image: CardImage? {
        guard let layout = CardLayout(chipNamed: tag.chip.name) else { return nil }
        return CardImage(layout.pages.flatMap { tag[$0].bytes }, layout: layout)
    }

    /// The two records as the card's owner's keys see them.
    package var slots: RecordSlots? {
        image.map { image in
            RecordSlots(
                image, uid: uid, holders: [.nobody] + (card.map { [$0.holder] } ?? []),
                currency: .usd, keys: Scene.keys)
        }
    }

    /// The highest number under a valid seal.
    package var bestSequence: SequenceNumber { slots?.best?.record.sequence ?? .none }

    private var displayBroken: Violation? {
        guard let card, let shown = image?.content(in: .usd).face?.balance.minorUnits else {
            return nil
        }
        let balances = (ledger.issued[uid] ?? [:]).values.compactMap {
            SealedRecord($0.bytes).map { Int64($0.balance) }
        }
        return balances.contains(shown)
            ? nil : Violation(.display, "a phone reads \(shown), which \(card.uid) never had")
    }
}

extension Operation {
    /// What the operation has done to the card's account for good.
    fileprivate var lastingChange: Int64 {
        switch kind {
        case .pay, .close: state == .committed ? -amount : 0
        case .add, .refund, .issue, .adopt, .replace: amount
        case .scratch, .activate, .reseal, .protect, .unprotect, .block, .unblock, .forget: 0
        }
    }
}

/// A ledger that is only looked at.
package struct LedgerAtRest: LedgerStore {
    package let tables: LedgerTables

    package init(tables: LedgerTables) { self.tables = tables }

    package var currency: Currency { .usd }

    package func read<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        var tables = tables
        return try tables.transact(body)
    }

    package func write<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        throw LedgerError(.readOnly, "the ledger is only looked at")
    }
}
