import CSQLite
import Ledger

extension Connection {
    /// When a transaction takes its lock.
    enum Lock: String {
        /// Never: the transaction sees the state as of its first read.
        case reading = "BEGIN DEFERRED"
        /// Immediately, so that nothing the transaction has read can change before it writes.
        case writing = "BEGIN IMMEDIATE"
    }

    /// Runs the body in one transaction: all of its changes take effect, or none.
    func transaction<Success>(
        _ lock: Lock, _ body: () throws(LedgerError) -> Success
    ) throws(LedgerError) -> Success {
        try run(lock.rawValue)
        let result: Success
        do throws(LedgerError) {
            // A read without locks may have mixed two states; if so, its result is discarded.
            result = try body()
            try requireUntouched()
        } catch {
            rollBack()
            throw error
        }
        do throws(LedgerError) {
            try run("COMMIT")
        } catch {
            // The journal may contain the whole transaction even though a write or a sync failed.
            // Whether it took effect is decided when the journal is next read.
            let isUnknown = lock == .writing && lastCode & 0xFF == SQLITE_IOERR
            rollBack()
            guard isUnknown else { throw error }
            throw LedgerError(
                .outcomeUnknown,
                "the disk failed while \(path) was being written, so the change may or may not "
                    + "have been saved (\(error.detail)); tap again to resolve it")
        }
        return result
    }

    /// Supersedes a commit that failed halfway, so that the state that this connection reads is
    /// final.
    ///
    /// SQLite forgets a transaction that could not be synced, but leaves it in the journal. While
    /// another program keeps the ledger open, the journal is not read from its beginning, so the
    /// transaction seems not to have happened. After a crash, SQLite would find it there, and it
    /// would take effect after all. A durable transaction in its place prevents that: SQLite
    /// writes page 1 whenever the version is set, even to the same value.
    func supersedeUnknownCommit() throws(LedgerError) {
        try transaction(.writing) { () throws(LedgerError) in
            try execute("PRAGMA user_version = \(try schemaVersion())")
        }
    }

    /// Rolls back unless SQLite has already done so; if that fails, closing the connection rolls
    /// back.
    private func rollBack() {
        if isInTransaction { try? run("ROLLBACK") }
    }
}
