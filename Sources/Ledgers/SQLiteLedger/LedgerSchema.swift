import Ledger
import LedgerColumns

/// The tables of a ledger as migration steps: the first makes version 1 out of an empty file, the
/// next makes version 2 of that. A released step is never changed.
package struct LedgerSchema: Sendable {
    /// The scripts of the steps; those that a file needs run in one transaction.
    package let steps: [String]

    package init(steps: [String]) { self.steps = steps }

    package static let current = LedgerSchema(
        steps: [
            version1, version2, version3, version4, version5, version6, version7, version8,
            version9, version10,
        ])

    /// The id of every ledger in its file header: "tapc".
    static let applicationID: Int64 = 0x7461_7063

    var latest: Int64 { Int64(steps.count) }

    /// Migrates a file from a version to the latest. The caller holds the transaction.
    func apply(to connection: Connection, from version: Int64) throws(LedgerError) {
        for step in steps.dropFirst(Int(clamping: version)) { try connection.execute(step) }
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
