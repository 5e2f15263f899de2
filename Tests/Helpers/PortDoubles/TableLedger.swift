import BlockingLane
package import Ledger
package import TapcardDomain

/// A ledger in memory whose rows a test reads, keeps and restores.
package final class TableLedger: LedgerStore {
    package let currency = Currency.usd
    private let rows: Guarded<LedgerTables>

    package init(_ tables: LedgerTables = LedgerTables()) { rows = Guarded(tables) }

    package var tables: LedgerTables { rows.withLock { $0 } }

    package func putBack(_ backup: LedgerTables) { rows.withLock { $0 = backup } }

    /// Lets a key seal at all stations, as in a ledger that stations share.
    package func seal(with key: UInt8) { rows.withLock { $0.sealingKey = key } }

    package func read<Success: Sendable>(
        touching _: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        var unchanged = tables
        return try unchanged.transact(body)
    }

    package func write<Success: Sendable>(
        touching _: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try rows.withLock { tables throws(LedgerError) in try tables.transact(body) }
    }
}
