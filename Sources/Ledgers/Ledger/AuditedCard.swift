import TapcardDomain

/// All rows of one card, checked against each other from the oldest operation onward. The rules for
/// bookings, tickets, and activations are in separate files.
struct AuditedCard {
    let uid: CardUID
    /// The card's row; nil if it is missing even though other rows refer to the card.
    let card: LedgerCard?
    let rows: any LedgerRows
    private let hasOfflinePayments: Bool
    private(set) var trace = CardTrace()
    private(set) var operations = 0
    private(set) var open = 0
    private(set) var isActivating = false
    private(set) var violations: [String] = []
    /// The amount held by open payments.
    private var held: Int64 = 0
    /// The sequence number of each operation.
    private var sequences: [OperationID: SequenceNumber] = [:]
    /// The highest number that an operation has written to the tag.
    private var written = SequenceNumber.none
    /// The last operation with a number, if it is final.
    private var lastFinal: (sequence: SequenceNumber, endedAt: Timestamp?)?

    init(_ uid: CardUID, _ card: LedgerCard?, _ rows: any LedgerRows, hasOfflinePayments: Bool) {
        (self.uid, self.card, self.rows, self.hasOfflinePayments) = (
            uid, card, rows, hasOfflinePayments
        )
    }

    mutating func check() throws(LedgerError) {
        var pages = rows.pagesOfOperations(on: uid)
        while let operation = try pages.next() { try check(operation) }
        try applyReplacement()
        violations += try ticketsSold() + attemptViolations()
        // The other rules compare rows with the card's own row.
        guard let card else { return }
        violations += try numberViolations(card)
        violations += try holdViolations(card)
        violations += stateViolations(card)
        violations += codeViolations(card)
        violations += try twin(of: card)
        violations += try ticketShown(on: card)
        isActivating = try rows.activation(on: card)?.state == .requested
    }

    private mutating func check(_ operation: Operation) throws(LedgerError) {
        operations += 1
        note(operation)
        if operation.state == .pending {
            open += 1
            // Wraps instead of trapping, because altered rows may contain any number.
            held &+= operation.held
        }
        let entries = try rows.entries(of: operation.id)
        let context = try rows.context(of: operation, entries)
        let isPossible = trace.take(operation, context)
        if !isPossible {
            violations.append(
                "I9: operation \(operation.id) (\(operation.kind)) is not allowed in the card's "
                    + "state at that time")
        }
        if operation.kind.recordsScratch, operation.subject == nil {
            violations.append("I2: operation \(operation.id) has no activation code")
        }
        violations += AuditedCard.endViolations(operation)
        violations += try bookings(of: operation, entries)
        violations += try tickets(of: operation)
        violations += try activations(of: operation)
    }

    /// Keeps track of the numbers that were written to the tag. A final operation may have no
    /// record there for two reasons: it was ended by the transaction that began the card's next
    /// operation or its replacement, or it is a payment that was booked from a journal.
    private mutating func note(_ operation: Operation) {
        sequences[operation.id] = operation.sequence
        guard operation.sequence != .none else { return }
        // If the last operation ended exactly when this one began, it was ended by this one and may
        // have no record on the tag.
        if let last = lastFinal, last.endedAt != operation.beganAt {
            written = max(written, last.sequence)
        }
        // A payment that was open in the ledger may be booked from a journal without a record on
        // the tag.
        let isWritten =
            operation.state == .committed && !(hasOfflinePayments && operation.kind == .pay)
        lastFinal = isWritten ? (operation.sequence, operation.endedAt) : nil
    }

    /// The highest number written to the tag, if it is above the confirmed number; otherwise, nil.
    private func unconfirmed(of card: LedgerCard) throws(LedgerError) -> SequenceNumber? {
        if let last = lastFinal, card.confirmed < last.sequence {
            let endedByReplacement = try rows.replacements(of: uid).contains {
                $0.beganAt == last.endedAt
            }
            if !endedByReplacement { return last.sequence }
        }
        return card.confirmed < written ? written : nil
    }

    /// I4: each operation has the number of its last record.
    private func lastRecordViolations(_ issued: [IssuedRecord]) -> [String] {
        var last: [OperationID: SequenceNumber] = [:]
        for record in issued {
            last[record.operation] = max(last[record.operation] ?? .none, record.sequence)
        }
        // A dictionary has no fixed order, but the report has to be repeatable.
        return sequences.filter { last[$0.key, default: .none] != $0.value }.map {
            "I4: operation \($0.key) has number \($0.value), but its last record has number "
                + "\(last[$0.key, default: .none])"
        }.sorted()
    }

    /// Marks the card as replaced if its replacement came after the last change of its status. A
    /// replacement changes the lost card's status without adding an operation to that card.
    private mutating func applyReplacement() throws(LedgerError) {
        guard let last = try rows.replacements(of: uid).last else { return }
        let lastChange = try trace.statusSetter.flatMap { id throws(LedgerError) in
            try rows.place(of: id)
        }
        // No place is negative, so if the status never changed, the replacement counts as later.
        guard let place = try rows.place(of: last.id), place > lastChange ?? -1 else { return }
        trace.markReplaced()
    }

    /// I2: an operation has an end time if and only if it is final. Only voidable operations and
    /// those that turn protection on or off can be voided.
    private static func endViolations(_ operation: Operation) -> [String] {
        var found: [String] = []
        if (operation.state == .pending) != (operation.endedAt == nil) {
            found.append(
                "I2: operation \(operation.id): state \(operation.state) contradicts its end time")
        }
        let mayBeVoided = operation.kind.isVoidable || operation.kind.changesProtection
        if operation.state == .voided, !mayBeVoided {
            found.append(
                "I2: operation \(operation.id) (\(operation.kind)) is voided, but this kind can "
                    + "never be voided")
        }
        return found
    }

    /// I4 and I5: each number is used once, in ascending order, and confirmed only after its use.
    private func numberViolations(_ card: LedgerCard) throws(LedgerError) -> [String] {
        let issued = try rows.issuedRecords(on: uid)
        let gaps = try rows.gaps(on: uid)
        var found = lastRecordViolations(issued)
        if let written = try unconfirmed(of: card) {
            found.append(
                "I5: card \(uid): confirmed number is \(card.confirmed), but \(written) was "
                    + "written to the card")
        }
        if card.confirmed > card.allocated {
            found.append(
                "I5: card \(uid): confirmed number \(card.confirmed) is above allocated number "
                    + "\(card.allocated)")
        }
        let numbers = Set(issued.map(\.sequence))
        if numbers.count != issued.count {
            found.append("I5: card \(uid) used a number twice")
        }
        if let last = numbers.max(), last > card.allocated {
            found.append(
                "I5: card \(uid): record number \(last) is above allocated number "
                    + "\(card.allocated)")
        }
        // Numbers in a gap may be on tags from before the restore, so they must not be reused.
        for record in issued where gaps.contains(where: { $0.numbers.contains(record.sequence) }) {
            found.append(
                "I4: card \(uid): record \(record.sequence) falls in a gap of numbers lost by a "
                    + "restore")
        }
        if card.confirmed != .none, !numbers.contains(card.confirmed) {
            found.append("I4: card \(uid): confirmed number \(card.confirmed) was never issued")
        }
        return found
    }

    /// I1 and I3: a card has at most one open operation, which holds no more than the balance.
    private func holdViolations(_ card: LedgerCard) throws(LedgerError) -> [String] {
        guard open > 0 else { return [] }
        var found: [String] = []
        if open > 1 { found.append("I3: card \(uid) has \(open) open operations") }
        let balance = try rows.balance(of: card.purse)
        if held > balance {
            found.append("I1: card \(uid): reserved amount \(held) is above balance \(balance)")
        }
        return found
    }

    /// I6: a card is in the state that its operations lead to.
    private func stateViolations(_ card: LedgerCard) -> [String] {
        // Without operations, there is no trace to compare the card with.
        guard operations > 0 else { return [] }
        var found: [String] = []
        if trace.account != card.account {
            found.append(
                "I6: card \(uid): account number is \(card.account), but its operations lead to "
                    + "account number \(trace.account)")
        }
        if trace.status != card.status {
            found.append(
                "I6: card \(uid) has status \(card.status), but its operations lead to status "
                    + "\(trace.status)")
        }
        return found
    }
}

extension LedgerRows {
    /// The rows of other cards and tables that an operation depends on.
    fileprivate func context(
        of operation: Operation, _ entries: [Entry]
    ) throws(LedgerError) -> CardTrace.Context {
        var cache: [OperationID: CardTrace?] = [:]
        return try context(of: operation, entries, &cache)
    }

    private func context(
        of operation: Operation, _ entries: [Entry], _ cache: inout [OperationID: CardTrace?]
    ) throws(LedgerError) -> CardTrace.Context {
        switch operation.kind {
        case .ticket:
            return CardTrace.Context(ticket: try ticket(of: operation.id)?.ticket.id)
        case .replace:
            guard let lost = entries.lost(by: operation)?.uid else { return .init() }
            return .init(lost: try trace(of: lost, before: operation, &cache))
        default:
            return CardTrace.Context()
        }
    }

    /// The state of a card when its replacement began; nil if the card had no operations yet.
    /// Results are cached, because in altered rows, cards may replace each other in a cycle.
    private func trace(
        of uid: CardUID, before replacement: Operation,
        _ cache: inout [OperationID: CardTrace?]
    ) throws(LedgerError) -> CardTrace? {
        if let known = cache[replacement.id] { return known }
        // Set before the recursion, so that it ends here if the rows form a cycle.
        cache[replacement.id] = .some(nil)
        guard let end = try place(of: replacement.id) else { return nil }
        var trace: CardTrace?
        var pages = pagesOfOperations(on: uid)
        while let operation = try pages.next() {
            // Operations are sorted by place, so none after this one is below `end`.
            guard let place = try place(of: operation.id), place < end else { break }
            let context = try context(
                of: operation, try entries(of: operation.id), &cache)
            var next = trace ?? CardTrace()
            _ = next.take(operation, context)
            trace = next
        }
        cache[replacement.id] = trace
        return trace
    }
}

extension [Entry] {
    /// The account of the card that was replaced.
    func lost(by replacement: Operation) -> Account? {
        first { entry in entry.account.uid.map { $0 != replacement.uid } ?? false }?.account
    }
}
