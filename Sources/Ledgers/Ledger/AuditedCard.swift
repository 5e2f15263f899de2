import TapcardDomain

/// All rows of one card, checked against each other, the oldest operation first. The rules of
/// bookings, tickets and activations have their own files.
struct AuditedCard {
    let uid: CardUID
    /// The card's row; nil where operations, attempts or tickets refer to a card that is missing.
    let card: LedgerCard?
    let rows: any LedgerRows
    private let hasOfflinePayments: Bool
    private(set) var trace = CardTrace()
    private(set) var operations = 0
    private(set) var open = 0
    private(set) var isActivating = false
    private(set) var violations: [String] = []
    /// The amount that open payments hold.
    private var held: Int64 = 0
    /// The number of each operation, and the highest that an operation has written.
    private var sequences: [OperationID: SequenceNumber] = [:]
    private var written = SequenceNumber.none
    /// The last operation with a number, where it is final.
    private var lastFinal: (sequence: SequenceNumber, endedAt: Timestamp?)?

    init(_ uid: CardUID, _ card: LedgerCard?, _ rows: any LedgerRows, hasOfflinePayments: Bool) {
        (self.uid, self.card, self.rows, self.hasOfflinePayments) = (
            uid, card, rows, hasOfflinePayments
        )
    }

    mutating func check() throws(LedgerError) {
        var pages = rows.pagesOfOperations(on: uid)
        while let operation = try pages.next() { try check(operation) }
        try rememberReplacements()
        violations += try ticketsSold() + attempted()
        guard let card else { return }
        violations += try numbers(of: card)
        violations += try holds(of: card)
        violations += standing(of: card)
        violations += coded(card)
        violations += try twin(of: card)
        violations += try ticketShown(on: card)
        isActivating = try rows.activation(on: card)?.state == .requested
    }

    private mutating func check(_ operation: Operation) throws(LedgerError) {
        operations += 1
        note(operation)
        if operation.state == .pending {
            open += 1
            held &+= operation.held
        }
        let entries = try rows.entries(of: operation.id)
        let surroundings = try rows.surroundings(of: operation, entries)
        let isPossible = trace.take(operation, surroundings)
        if !isPossible {
            violations.append(
                "I9: operation \(operation.id) (\(operation.kind)) was not possible on its card")
        }
        if operation.kind.namesScratch, operation.subject == nil {
            violations.append("I2: operation \(operation.id) does not tell its code")
        }
        violations += AuditedCard.end(of: operation)
        violations += try bookings(of: operation, entries)
        violations += try tickets(of: operation)
        violations += try activations(of: operation)
    }

    /// Follows the numbers. An operation that became final without a record on the tag was ended by
    /// the next one on its card, or by a replacement of it, in the same transaction; or it is a
    /// payment that was accepted offline, and booked from a journal.
    private mutating func note(_ operation: Operation) {
        sequences[operation.id] = operation.sequence
        guard operation.sequence != .none else { return }
        if let last = lastFinal, last.endedAt != operation.begunAt {
            written = max(written, last.sequence)
        }
        let isWritten =
            operation.state == .committed && !(hasOfflinePayments && operation.kind == .pay)
        lastFinal = isWritten ? (operation.sequence, operation.endedAt) : nil
    }

    /// The number that an operation has written to the tag, above the confirmed one; nil as it
    /// should be.
    private func unconfirmed(of card: LedgerCard) throws(LedgerError) -> SequenceNumber? {
        if let last = lastFinal, card.confirmed < last.sequence {
            let isOfReplacement = try rows.replacements(of: uid).contains {
                $0.begunAt == last.endedAt
            }
            if !isOfReplacement { return last.sequence }
        }
        return card.confirmed < written ? written : nil
    }

    /// I4: an operation has the number of the last record that was made for it.
    private func numbered(by issued: [IssuedRecord]) -> [String] {
        var last: [OperationID: SequenceNumber] = [:]
        for record in issued {
            last[record.operation] = max(last[record.operation] ?? .none, record.sequence)
        }
        return sequences.filter { last[$0.key, default: .none] != $0.value }.map {
            "I4: operation \($0.key) has number \($0.value), and its record "
                + "\(last[$0.key, default: .none])"
        }.sorted()
    }

    /// Applies a replacement, which changes the card without an operation of its own, if it came
    /// last.
    private mutating func rememberReplacements() throws(LedgerError) {
        guard let last = try rows.replacements(of: uid).last else { return }
        let setter = try trace.statusSetter.flatMap { id throws(LedgerError) in
            try rows.place(of: id)
        }
        guard let place = try rows.place(of: last.id), place > setter ?? -1 else { return }
        trace.becomeReplaced()
    }

    /// I2: a final operation has an end, and one that cannot be undone was not voided.
    private static func end(of operation: Operation) -> [String] {
        var found: [String] = []
        if (operation.state == .pending) != (operation.endedAt == nil) {
            found.append("I2: operation \(operation.id) is \(operation.state) at an unknown time")
        }
        let mayBeVoided = operation.kind.isVoidable || operation.kind.switchesProtection
        if operation.state == .voided, !mayBeVoided {
            found.append("I2: operation \(operation.id) (\(operation.kind)) is voided, as none is")
        }
        return found
    }

    /// I4 and I5: numbers are handed out once, in ascending order, and confirmed only after that.
    private func numbers(of card: LedgerCard) throws(LedgerError) -> [String] {
        let issued = try rows.issuedRecords(on: uid)
        let gaps = try rows.gaps(on: uid)
        var found = numbered(by: issued)
        if let written = try unconfirmed(of: card) {
            found.append("I5: card \(uid) confirmed \(card.confirmed), and \(written) was written")
        }
        if card.confirmed > card.allocated {
            found.append("I5: card \(uid) confirmed \(card.confirmed) of \(card.allocated)")
        }
        let numbers = Set(issued.map(\.sequence))
        if numbers.count != issued.count {
            found.append("I5: card \(uid) used a number twice")
        }
        if let last = numbers.max(), last > card.allocated {
            found.append("I5: card \(uid) has record \(last) above \(card.allocated)")
        }
        for record in issued where gaps.contains(where: { $0.numbers.contains(record.sequence) }) {
            found.append("I4: card \(uid) has record \(record.sequence) in a gap")
        }
        if card.confirmed != .none, !numbers.contains(card.confirmed) {
            found.append("I4: card \(uid) confirmed \(card.confirmed), never issued")
        }
        return found
    }

    /// I1 and I3: a card has at most one open operation, which holds at most the balance.
    private func holds(of card: LedgerCard) throws(LedgerError) -> [String] {
        guard open > 0 else { return [] }
        var found: [String] = []
        if open > 1 { found.append("I3: card \(uid) has \(open) open operations") }
        let balance = try rows.balance(of: card.purse)
        if held > balance { found.append("I1: card \(uid) holds \(held) of \(balance)") }
        return found
    }

    /// I6: a card is in the state that its operations lead to.
    private func standing(of card: LedgerCard) -> [String] {
        guard operations > 0 else { return [] }
        var found: [String] = []
        if trace.account != card.account {
            found.append(
                "I6: card \(uid) is on account \(card.account), and was made "
                    + "\(trace.account) times")
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
    fileprivate func surroundings(
        of operation: Operation, _ entries: [Entry]
    ) throws(LedgerError) -> CardTrace.Surroundings {
        var memory: [OperationID: CardTrace?] = [:]
        return try surroundings(of: operation, entries, &memory)
    }

    private func surroundings(
        of operation: Operation, _ entries: [Entry], _ memory: inout [OperationID: CardTrace?]
    ) throws(LedgerError) -> CardTrace.Surroundings {
        switch operation.kind {
        case .ticket:
            return CardTrace.Surroundings(ticket: try ticket(of: operation.id)?.ticket.id)
        case .replace:
            guard let lost = entries.lost(by: operation)?.uid else { return .init() }
            return .init(lost: try trace(of: lost, before: operation, &memory))
        default:
            return CardTrace.Surroundings()
        }
    }

    /// A card as it was when a replacement of it began; nil before its first operation. Tampered
    /// rows can make cards replace each other in a circle, so results are remembered.
    private func trace(
        of uid: CardUID, before replacement: Operation,
        _ memory: inout [OperationID: CardTrace?]
    ) throws(LedgerError) -> CardTrace? {
        if let known = memory[replacement.id] { return known }
        // Set before the search, so that a circle ends here.
        memory[replacement.id] = .some(nil)
        guard let end = try place(of: replacement.id) else { return nil }
        var trace: CardTrace?
        var pages = pagesOfOperations(on: uid)
        while let operation = try pages.next() {
            guard let place = try place(of: operation.id), place < end else { break }
            let surroundings = try surroundings(
                of: operation, try entries(of: operation.id), &memory)
            var next = trace ?? CardTrace()
            _ = next.take(operation, surroundings)
            trace = next
        }
        memory[replacement.id] = trace
        return trace
    }
}

extension [Entry] {
    /// The account of the card that was replaced.
    func lost(by replacement: Operation) -> Account? {
        first { entry in entry.account.uid.map { $0 != replacement.uid } ?? false }?.account
    }
}
