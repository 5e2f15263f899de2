import TapcardDomain

/// What a check of the whole ledger found.
public struct AuditReport: Hashable, Sendable {
    public let cards: Int
    public let operations: Int
    /// Operations that the next tap of their card will settle.
    public let open: Int
    /// Each names the invariant and the row that breaks it; empty when all is well.
    public let violations: [String]
}

extension LedgerStore {
    /// Checks the invariants over every row, from the entries up.
    public func audit() async throws(LedgerError) -> AuditReport {
        try await read { rows throws(LedgerError) in
            let cards = try rows.cards()
            let operations = try rows.operations(on: nil)
            var violations = try Auditor.money(rows)
            for operation in operations {
                violations += Auditor.entries(
                    try rows.entries(of: operation.id), of: operation)
            }
            for card in cards {
                violations += Auditor.numbers(
                    card, try rows.issuedRecords(on: card.uid), try rows.gaps(on: card.uid))
                let open = operations.filter { $0.uid == card.uid && $0.state == .pending }
                violations += Auditor.open(
                    open, card, balance: try rows.balance(of: card.purse))
            }
            violations += try TicketAuditor(rows, operations).violations(of: cards)
            return AuditReport(
                cards: cards.count, operations: operations.count,
                open: operations.count { $0.state == .pending }, violations: violations)
        }
    }
}

/// The invariants, each a function from rows to complaints. Sums wrap: the rows may hold anything,
/// and a sum that is not representable is not the right one.
private enum Auditor {
    /// I1: the sum of all accounts is 0, every balance is the sum of its entries, and no customer
    /// has less than nothing or more than the limit.
    static func money(_ rows: any LedgerRows) throws(LedgerError) -> [String] {
        var found: [String] = []
        var sums: [Account: Int64] = [:]
        for entry in try rows.entries(of: nil) { sums[entry.account, default: 0] &+= entry.amount }
        let balances = try rows.balances()
        for account in Set(sums.keys).union(balances.keys) {
            let sum = sums[account, default: 0]
            let balance = balances[account, default: 0]
            if sum != balance {
                found.append("I1: \(account) holds \(balance), its entries \(sum)")
            }
            if case .purse = account, !(0...Currency.largestBalance).contains(sum) {
                found.append("I1: \(account) holds \(sum), outside its limits")
            }
        }
        let total = balances.values.reduce(0, &+)
        if total != 0 { found.append("I1: all accounts together hold \(total), not 0") }
        return found.sorted()
    }

    /// I2 and I6: what is final has an end; only what happened is booked, in pairs that add up.
    static func entries(_ entries: [Entry], of operation: Operation) -> [String] {
        var found: [String] = []
        if (operation.state == .pending) != (operation.endedAt == nil) {
            found.append("I2: operation \(operation.id) is \(operation.state) at an unknown time")
        }
        if entries.reduce(0, { $0 &+ $1.amount }) != 0 {
            found.append("I1: the entries of operation \(operation.id) do not add up to 0")
        }
        let isBooked = operation.state == .committed || !operation.kind.isVoidable
        let moves = operation.amount != 0
        if moves && isBooked && entries.isEmpty {
            found.append("I6: operation \(operation.id) is committed without entries")
        }
        if !isBooked && !entries.isEmpty {
            found.append("I6: operation \(operation.id) is \(operation.state) but was booked")
        }
        return found
    }

    /// I4 and I5: numbers are handed out once, upwards, and confirmed only after that.
    static func numbers(
        _ card: LedgerCard, _ issued: [IssuedRecord], _ gaps: [SequenceGap]
    ) -> [String] {
        var found: [String] = []
        if card.confirmed > card.allocated {
            found.append("I5: card \(card.uid) confirmed \(card.confirmed) of \(card.allocated)")
        }
        let numbers = issued.map(\.sequence)
        if Set(numbers).count != numbers.count {
            found.append("I5: card \(card.uid) used a number twice")
        }
        if let last = numbers.max(), last > card.allocated {
            found.append("I5: card \(card.uid) has record \(last) above \(card.allocated)")
        }
        for record in issued where gaps.contains(where: { $0.numbers.contains(record.sequence) }) {
            found.append("I4: card \(card.uid) has record \(record.sequence) in a gap")
        }
        if card.confirmed != .none, !numbers.contains(card.confirmed) {
            found.append("I4: card \(card.uid) confirmed \(card.confirmed), never issued")
        }
        return found
    }

    /// I1 and I3: one open operation at most, and it holds no more than there is.
    static func open(_ open: [Operation], _ card: LedgerCard, balance: Int64) -> [String] {
        var found: [String] = []
        if open.count > 1 {
            found.append("I3: card \(card.uid) has \(open.count) open operations")
        }
        let held = open.reduce(0) { $0 &+ $1.held }
        if held > balance {
            found.append("I1: card \(card.uid) holds \(held) of \(balance)")
        }
        return found
    }
}
