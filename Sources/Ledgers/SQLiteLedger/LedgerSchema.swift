import Ledger

/// The SQL scripts for the tables. The first one creates all tables in an empty file, and each
/// later one migrates to the next version. A released script must not change.
package struct LedgerSchema: Sendable {
    /// The version that the first script creates. No file with an older version was ever released.
    package static let oldest: Int64 = 10

    /// The scripts. Those that a file needs are run in one transaction.
    package let steps: [String]

    package init(steps: [String]) { self.steps = steps }

    package static let current = LedgerSchema(steps: [
        tables, selling, shifts, tills, enrolledTills,
    ])

    /// The ID in the file header of every ledger: "tapc".
    static let applicationID: Int64 = 0x7461_7063

    package var latest: Int64 { LedgerSchema.oldest + Int64(steps.count) - 1 }

    /// Migrates a file from the given version (0 for an empty file) to the latest. Must be called
    /// inside a transaction.
    func apply(to connection: Connection, from version: Int64) throws(LedgerError) {
        // The first script creates the oldest version, so its steps count from there.
        let done = max(0, version - LedgerSchema.oldest + 1)
        for step in steps.dropFirst(Int(clamping: done)) { try connection.execute(step) }
        try connection.execute("PRAGMA user_version = \(latest)")
    }
}

extension Connection {
    func schemaVersion() throws(LedgerError) -> Int64 { try integer("PRAGMA user_version") }
    func applicationID() throws(LedgerError) -> Int64 { try integer("PRAGMA application_id") }

    private func integer(_ sql: String) throws(LedgerError) -> Int64 {
        let values = try query(sql) { columns throws(LedgerError) in try columns.value(\.integer) }
        guard let value = values.first else { throw LedgerError.corrupt(path, "no \(sql)") }
        return value
    }
}
