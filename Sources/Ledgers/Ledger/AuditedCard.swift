import TapcardDomain

/// All rows of one card, held against each other, the oldest operation first. The rules of
/// bookings, tickets and activations have files of their own.
struct AuditedCard {
    let uid: CardUID
    /// Nil where operations, attempts or tickets are of a card that the ledger does not have.
    let card: LedgerCard?
    let rows: any LedgerRows
    private let keptSince: OperationID?
    private(set) var trace = CardTrace()
    private(set) var operations = 0
    private(set) var open = 0
    private(set) var isActivating = false
    private(set) var violations: [String] = []
    /// What open payments keep back.
    private var held: Int64 = 0

    init(
        _ uid: CardUID, _ card: LedgerCard?, _ rows: any LedgerRows, keptSince: OperationID?
    ) {
        (self.uid, self.card, self.rows, self.keptSince) = (uid, card, rows, keptSince)
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

    /// Whether operations told what they are about when this one began.
    func areSubjectsKept(before operation: Operation) throws(LedgerError) -> Bool {
        guard let keptSince, let first = try rows.place(of: keptSince),
            let place = try rows.place(of: operation.id)
        else { return false }
        return first < place
    }

    private mutating func check(_ operation: Operation) throws(LedgerError) {
        operations += 1
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
        if operation.kind.namesScratch, operation.subject == nil,
            try areSubjectsKept(before: operation)
        {
            violations.append("I2: operation \(operation.id) does not tell its code")
        }
        violations += AuditedCard.end(of: operation)
        violations += try bookings(of: operation, entries)
        violations += try tickets(of: operation)
        violations += try activations(of: operation)
    }

    /// What happened to the card without an operation of its own, where it was the last thing.
    private mutating func rememberReplacements() throws(LedgerError) {
        guard let last = try rows.replacements(of: uid).last else { return }
        let setter = try trace.statusSetter.flatMap { id throws(LedgerError) in
            try rows.place(of: id)
        }
        guard let place = try rows.place(of: last.id), place > setter ?? -1 else { return }
        trace.becomeReplaced()
    }

    /// I2: what is final has an end, and what cannot be undone was not.
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

    /// I4 and I5: numbers are handed out once, upwards, and confirmed only after that.
    private func numbers(of card: LedgerCard) throws(LedgerError) -> [String] {
        let issued = try rows.issuedRecords(on: uid)
        let gaps = try rows.gaps(on: uid)
        var found: [String] = []
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

    /// I1 and I3: one open operation at most, and it holds no more than there is.
    private func holds(of card: LedgerCard) throws(LedgerError) -> [String] {
        guard open > 0 else { return [] }
        var found: [String] = []
        if open > 1 { found.append("I3: card \(uid) has \(open) open operations") }
        let balance = try rows.balance(of: card.purse)
        if held > balance { found.append("I1: card \(uid) holds \(held) of \(balance)") }
        return found
    }

    /// I6: a card is what its operations have made of it.
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
                "I6: card \(uid) is \(card.status), and its operations leave it \(trace.status)")
        }
        return found
    }
}

extension LedgerRows {
    /// What following an operation takes besides the operation itself.
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
        case .activate:
            return CardTrace.Surroundings(code: try activation(operation.id)?.code)
        case .replace:
            guard let lost = entries.lost(by: operation)?.uid else { return .init() }
            return .init(lost: try trace(of: lost, before: operation, &memory))
        default:
            return CardTrace.Surroundings()
        }
    }

    /// A card as it was when a replacement of it began; nil before its first operation.
    ///
    /// Cards that were tampered with can replace each other over and over: what was found once is
    /// remembered.
    private func trace(
        of uid: CardUID, before replacement: Operation,
        _ memory: inout [OperationID: CardTrace?]
    ) throws(LedgerError) -> CardTrace? {
        if let known = memory[replacement.id] { return known }
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
    /// The account of the card that a replacement was for.
    func lost(by replacement: Operation) -> Account? {
        first { entry in entry.account.uid.map { $0 != replacement.uid } ?? false }?.account
    }
}
