import BlockingLane
package import Ledger
import TapcardDomain

extension PostgreSQLDatabase {
    package func fill(
        from source: any LedgerStore, origin: String
    ) async throws(LedgerError) -> Filled {
        try await fill(from: source, origin: origin, partitions: PostgreSQLSchema.partitions)
    }

    /// Fills the database. Tests use only a few partitions.
    package func fill(
        from source: any LedgerStore, origin: String, partitions: Int
    ) async throws(LedgerError) -> Filled {
        let expected = try await source.audit()
        guard expected.violations.isEmpty else {
            throw LedgerError(
                .refused,
                "the source ledger violates its own rules, so nothing was copied; list the "
                    + "violations with `tapcard audit --ledger FILE`")
        }
        let address = address
        return try await source.readWithoutBlocking { rows throws(LedgerError) in
            let link = try Link(to: address, timeouts: .forOwner)
            // An earlier run may have succeeded even though the response to its commit was lost.
            if let earlier = try link.filled(from: origin) { return earlier }
            let filling = Filling(link, partitions: partitions)
            try filling.begin(in: source.currency, origin: origin)
            try filling.copy(rows)
            try filling.compare(with: rows, expected)
            try filling.commit()
            return Filled(
                cards: expected.cards, operations: expected.operations, wasAlreadyCopied: false)
        }
    }
}

extension Link {
    /// The result of an earlier run with the same ledger; nil for a database without a ledger.
    fileprivate func filled(from origin: String) throws(LedgerError) -> Filled? {
        guard try containsLedger else { return nil }
        guard try value("SELECT coalesce(origin, '') FROM setting", \.text) == origin else {
            throw LedgerError(
                .refused,
                "the target database already holds another ledger; choose an empty database")
        }
        return Filled(
            cards: Int(try value("SELECT count(*) FROM card", \.integer)),
            operations: Int(
                try value(
                    "SELECT (SELECT count(*) FROM operation) + (SELECT count(*) FROM cardless)",
                    \.integer)),
            wasAlreadyCopied: true)
    }
}

/// Copies a ledger into an empty database in one transaction, so that either all of it is copied or
/// nothing is.
private final class Filling {
    private static let batchSize = 1_000

    private let link: Link
    private let partitions: Int
    private var batch: [SQLStatement] = []
    /// The position of the last row, in the source's order.
    private var place: Int64 = 0

    init(_ link: Link, partitions: Int) { (self.link, self.partitions) = (link, partitions) }

    func begin(in currency: Currency, origin: String) throws(LedgerError) {
        let name = try link.value("SELECT current_database()", \.text)
        // Committing the copy waits for the disk and the replica, no matter how the server is
        // configured.
        batch =
            [SQLStatement("BEGIN"), SQLStatement("SET LOCAL synchronous_commit = on")]
            + PostgreSQLSchema.statements(
                currency: currency.code, in: name, partitions: partitions)
            + [SQLStatement("UPDATE setting SET origin = $1", [.text(origin)])]
        try send()
        // Behind a pooler, a connection may already have prepared statements with these names.
        if try link.value("SELECT pg_backend_pid()", \.integer) == link.process {
            try link.keepPlans()
        }
    }

    func copy(_ rows: any LedgerRows) throws(LedgerError) {
        try copyShifts(of: rows)
        var cards = rows.pagesOfCards()
        while let card = try cards.next() {
            // The records are copied later, so each card's row gets the key of its record only at
            // the end.
            let row = KnownRows.CardRow(
                card: card, balance: try rows.balance(of: card.purse), version: nil, lastPlace: 0,
                epoch: 1, storedTicket: nil)
            try add(row.insertion)
        }
        // An activation takes over the ID that its attempt has reserved, so the attempts come
        // first.
        var attempts = rows.pagesOfActivations(on: nil, or: nil)
        while let attempt = try attempts.next() { try add(attempt.insertion(at: nextPlace())) }
        var operations = rows.pagesOfOperations(on: nil)
        while let operation = try operations.next() {
            try add(operation.insertion(at: nextPlace()))
            for entry in try rows.entries(of: operation.id) {
                // The source does not record stations; 0 stands for the owner, who is copying it.
                try add(
                    Entry.insertion(of: [(entry, operation.uid, nextPlace())], station: 0))
            }
            if let sold = try rows.ticket(of: operation.id) {
                try add(sold.insertion(at: nextPlace()))
            }
        }
        cards = rows.pagesOfCards()
        while let card = try cards.next() {
            for record in try rows.issuedRecords(on: card.uid) { try add(record.insertion) }
            for gap in try rows.gaps(on: card.uid) { try add(gap.insertion(at: nextPlace())) }
            if let counter = try rows.readCounter(of: card.uid) {
                try add(counter.insertion(of: card.uid))
            }
        }
        // A product's deposit has to be there before it.
        let products = try rows.products()
        for product in products where product.deposit == nil { try add(product.change) }
        for product in products where product.deposit != nil { try add(product.change) }
        for till in try rows.tills() { try add(till.change) }
        for key in try rows.retiredKeys() { try add(key.insertion) }
        for journal in try rows.journals() {
            try add(
                [journal.change(by: 0)]
                    + (journal.writtenOffAt.map {
                        [StationJournal.writeOff(of: journal.id, at: $0)]
                    } ?? []))
        }
        try add([
            SQLStatement(
                """
                INSERT INTO house (account, station, balance)
                SELECT house, 0, sum(amount) FROM (
                    SELECT house, amount FROM entry WHERE house IS NOT NULL
                    UNION ALL SELECT account, amount FROM cardless_entry) AS booked
                GROUP BY house
                """),
            SQLStatement(
                """
                UPDATE card SET last_place = $1, version = version + 1,
                    sealed_by = (\(StationLimits.keyOfRecord("card")))
                """, [.integer(place)]),
        ])
        try send()
    }

    private func copyShifts(of rows: any LedgerRows) throws(LedgerError) {
        // The station's number in the database is not known yet.
        guard try rows.openShift() == nil else {
            throw LedgerError(
                .refused,
                "a shift is open, so nothing was copied; close it with `tapcard shift close`")
        }
        for shift in try rows.shifts() {
            try add(shift.insertion(at: 0))
            for (position, count) in shift.counts.enumerated() {
                try add(count.insertion(of: shift, position: position))
            }
        }
        var cardless = rows.pagesOfCardless()
        while let operation = try cardless.next() { try add(operation.insertion(at: 0)) }
    }

    /// Throws unless the copy has the same balances and the same audit report as the source.
    func compare(
        with rows: any LedgerRows, _ expected: AuditReport
    ) throws(LedgerError) {
        let opening = try link.declaration(isFenced: false).opening(in: nil, as: 0, seenBy: link)
        let copy = PostgreSQLRows(within: OpenLedger(link: link, opening: opening))
        guard try AuditReport(of: copy) == expected, try copy.balances() == rows.balances() else {
            throw LedgerError(
                .corrupt, "the copy failed its check against the source; nothing was copied")
        }
    }

    func commit() throws(LedgerError) {
        // The first batch began the transaction, which contains everything sent since.
        do throws(LinkFailure) { try link.commit([]) } catch {
            throw LedgerError(
                .outcomeUnknown,
                "the server did not confirm the copy, so it may or may not have been saved; repeat "
                    + "the command")
        }
    }

    private func nextPlace() -> Int64 {
        place += 1
        return place
    }

    private func add(_ statement: SQLStatement) throws(LedgerError) { try add([statement]) }

    private func add(_ statements: [SQLStatement]) throws(LedgerError) {
        batch += statements
        if batch.count >= Filling.batchSize { try send() }
    }

    private func send() throws(LedgerError) {
        _ = try translating(link.run(batch), into: LedgerError.init)
        batch = []
    }
}
