import FarLedger
import FaultyWorld
import Ledger

/// A town whose tills share a ledger in PostgreSQL, each with its own connection. Everything that
/// happens in memory happens there as well and must have the same answer.
extension Town {
    struct Far: Sendable {
        let ledger: FarLedger
        let twin: LedgerTwin
        /// The rows that it has now.
        var tables: LedgerTables
    }

    /// The twin of the ledger in memory, used from a different till each time. Nil where the town
    /// has none, or where somebody has their own ledger.
    mutating func twin() async throws(Broken) -> LedgerTwin? {
        guard farStations > 0, !isElsewhere else { return nil }
        if far?.tables != tables { try await moveIn() }
        far?.twin.seat(first: step % farStations)
        return far?.twin
    }

    /// Copies the town's rows into an empty database.
    private mutating func moveIn() async throws(Broken) {
        try expectTwin()
        do {
            try far?.ledger.remove()
            let ledger = try await FarLedger(holding: tables)
            far = Far(ledger: ledger, twin: ledger.twin(stations: farStations), tables: tables)
        } catch {
            throw broken("the rows cannot be moved into PostgreSQL: \(error)")
        }
        note("ledgers moved into PostgreSQL")
    }

    /// Takes over the rows of the ledger in memory, which its twin has as well.
    mutating func takeOver(_ rows: LedgerTables) throws(Broken) {
        tables = rows
        guard farStations > 0, !isElsewhere else { return }
        far?.tables = rows
        try expectTwin()
        note("taps on PostgreSQL")
    }

    private func expectTwin() throws(Broken) {
        if let first = far?.twin.differences.first { throw broken("PostgreSQL: \(first)") }
    }

    /// Checks that the database has the same rows and that its own check finds nothing.
    mutating func auditDatabase() async throws(Broken) {
        guard let twin = try await twin(), let far else { return }
        await twin.compare(with: tables)
        try expectTwin()
        do {
            if let first = try await far.ledger.audit().first {
                throw broken("PostgreSQL: \(first)")
            }
        } catch let error as Broken {
            throw error
        } catch {
            throw broken("the database cannot be checked: \(error)")
        }
        note("audits of PostgreSQL")
    }
}
