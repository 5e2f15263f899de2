import CSQLite
import Ledger

extension Connection {
    /// When a transaction takes its lock.
    enum Lock: String {
        /// Never: it sees the state of its first look.
        case reading = "BEGIN DEFERRED"
        /// At once, so that nothing it has read can change before it writes.
        case writing = "BEGIN IMMEDIATE"
    }

    /// All of what the body does, or nothing.
    func transaction<Success>(
        _ lock: Lock, _ body: () throws(LedgerError) -> Success
    ) throws(LedgerError) -> Success {
        try run(lock.rawValue)
        let result: Success
        do throws(LedgerError) {
            result = try body()
            try requireUntouched()
        } catch {
            rollBack()
            throw error
        }
        do throws(LedgerError) {
            try run("COMMIT")
        } catch {
            // The journal may hold the whole transaction although a write or a sync has failed:
            // whoever reads the journal next decides.
            let isUnknown = lock == .writing && lastCode & 0xFF == SQLITE_IOERR
            rollBack()
            guard isUnknown else { throw error }
            throw LedgerError(
                .outcomeUnknown,
                "the disk failed while \(path) was being written (\(error.detail)); the change may "
                    + "or may not have happened, tap the card again to settle it")
        }
        return result
    }

    /// Makes the outcome of a commit that has failed half way what this connection reads.
    ///
    /// SQLite forgets a transaction that could not be synced, but leaves it in the journal. While
    /// another program keeps the ledger open nobody reads the journal from its beginning, so the
    /// transaction seems not to have happened; after the next crash it would be found there, and
    /// have happened. A durable transaction in its place ends that: SQLite writes page 1 whenever
    /// the version is set, also to what it is.
    func outdateUnknownCommit() throws(LedgerError) {
        try transaction(.writing) { () throws(LedgerError) in
            try execute("PRAGMA user_version = \(try schemaVersion())")
        }
    }

    /// SQLite has rolled back itself where it had to; a rollback that fails leaves the rest to the
    /// end of the connection.
    private func rollBack() {
        if isInTransaction { try? run("ROLLBACK") }
    }
}
