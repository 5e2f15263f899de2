import Ledger
import TapcardDomain

/// A ledger of which backups can be made and put back.
actor KeptLedger: LedgerStore {
    nonisolated let currency = Currency.usd
    private(set) var tables = LedgerTables()

    func putBack(_ backup: LedgerTables) { tables = backup }

    func read<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        var unchanged = tables
        return try unchanged.transact(body)
    }

    func write<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try tables.transact(body)
    }
}
