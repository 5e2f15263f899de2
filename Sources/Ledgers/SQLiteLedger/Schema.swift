import Ledger

/// The tables of a ledger as the steps that lead to them: the first makes version 1 out of an
/// empty file, the next makes version 2 of that. A step that was released is never changed.
package struct Schema: Sendable {
    /// Each a script; it runs in a transaction with the others that a file needs.
    package let steps: [String]

    package init(steps: [String]) { self.steps = steps }

    package static let current = Schema(
        steps: [
            version1, version2, version3, version4, version5, version6, version7, version8,
        ])

    /// How every ledger names itself in its header: "tapc".
    static let applicationID: Int64 = 0x7461_7063

    var latest: Int64 { Int64(steps.count) }

    /// Brings a file from one version to the latest. The caller holds the transaction.
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
