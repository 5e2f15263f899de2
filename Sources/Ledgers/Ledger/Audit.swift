public import TapcardDomain

/// The findings of an audit.
public struct AuditReport: Hashable, Sendable {
    /// The number of cards read.
    public let cards: Int
    /// The number of operations read.
    public let operations: Int
    /// The number of open operations; each is resolved the next time its card is tapped.
    public let open: Int
    /// Active or blocked cards whose code has an activation attempt with no response yet.
    public let activating: [CardUID]
    /// Descriptions of the violated invariants; empty if the ledger is consistent.
    public let violations: [String]
    /// The stations' journals with offline payments that may be missing.
    public let journals: [JournalConcern]
}

extension LedgerStore {
    /// Checks the storage, and then that all rows satisfy the invariants. The audit works card
    /// by card, so that only one card's rows are in memory at a time, no matter how large the
    /// ledger is.
    ///
    /// If `now` is given, also lists stations whose report is overdue.
    public func audit(at now: Timestamp? = nil) async throws(LedgerError) -> AuditReport {
        try await checkStorage()
        return try await readWithoutBlocking { rows throws(LedgerError) in
            try AuditReport(of: rows, at: now)
        }
    }
}

extension AuditReport {
    package init(of rows: any LedgerRows, at now: Timestamp? = nil) throws(LedgerError) {
        var audit = Audit(
            rows: rows, hasOfflinePayments: try !rows.journals().isEmpty)
        self = try audit.report(at: now)
    }
}

/// An audit in progress. Sums wrap instead of trapping, because altered rows may contain any
/// number. A sum that overflows is wrong anyway.
private struct Audit {
    let rows: any LedgerRows
    /// Whether the ledger has any journals of offline payments.
    let hasOfflinePayments: Bool
    private var cards = 0
    private var operations = 0
    private var open = 0
    private var activating: [CardUID] = []
    private var violations: [String] = []

    init(rows: any LedgerRows, hasOfflinePayments: Bool) {
        (self.rows, self.hasOfflinePayments) = (rows, hasOfflinePayments)
    }

    mutating func report(at now: Timestamp?) throws(LedgerError) -> AuditReport {
        try checkBalances()
        var pages = rows.pagesOfCards()
        while let card = try pages.next() {
            cards += 1
            try check(card.uid, card)
        }
        // The loop above does not reach rows whose card is missing.
        let missing = try rows.missing()
        for uid in missing.cards {
            violations.append(
                "I6: card \(uid) is missing, but operations, attempts, or tickets refer to it")
            // The card's other rows are checked even though its own row is missing.
            try check(uid, nil)
        }
        violations += missing.operations.map {
            "I6: operation \($0) is missing, but entries refer to it"
        }
        violations += try rows.recordsUnderRetiredKeys()
        try checkCardless()
        return AuditReport(
            cards: cards, operations: operations, open: open, activating: activating,
            violations: violations, journals: try rows.journals().concerns(at: now))
    }

    /// I15 and I16: the lines of each sale without a card add up to its amount, and each is undone
    /// at most once, in full.
    private mutating func checkCardless() throws(LedgerError) {
        var pages = rows.pagesOfCardless()
        while let operation = try pages.next() {
            operations += 1
            let total = operation.lines.total
            if operation.kind == .sale, total != operation.amount {
                violations.append(
                    "I15: the lines of operation \(operation.id) do not add up to its amount")
            }
            guard operation.kind == .undo else { continue }
            let sale = try operation.reverses.flatMap { id throws(LedgerError) in
                try rows.cardless(id)
            }
            let undo = try sale.flatMap { sale throws(LedgerError) in
                try rows.cardless(undoing: sale.id)
            }
            guard let sale, operation.isUndo(of: sale), undo?.id == operation.id else {
                violations.append(
                    "I16: operation \(operation.id) does not undo exactly one sale in full")
                continue
            }
        }
    }

    private mutating func check(_ uid: CardUID, _ card: LedgerCard?) throws(LedgerError) {
        var audited = AuditedCard(uid, card, rows, hasOfflinePayments: hasOfflinePayments)
        try audited.check()
        operations += audited.operations
        open += audited.open
        if audited.isActivating { activating.append(uid) }
        violations += audited.violations
    }

    /// I1: all accounts add up to 0, every balance is the sum of its entries, and no card's account
    /// is below 0 or above the limit.
    private mutating func checkBalances() throws(LedgerError) {
        var found: [String] = []
        var total: Int64 = 0
        try rows.forEachAccount { account, balance, sum in
            total &+= balance
            if sum != balance {
                found.append(
                    "I1: \(account) has stored balance \(balance), but its entries sum to \(sum)")
            }
            // Only cards have limits; the issuer's accounts may be negative.
            if case .purse = account, !(0...Currency.largestBalance).contains(sum) {
                found.append("I1: \(account) has sum \(sum), which is outside the allowed range")
            }
        }
        if total != 0 { found.append("I1: all accounts sum to \(total), not to 0") }
        // Storage returns accounts in no fixed order, but the report has to be repeatable.
        violations += found.sorted()
    }
}
