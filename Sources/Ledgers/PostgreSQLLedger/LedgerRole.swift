import Ledger

/// The rights that a login can have on a ledger, each represented by a server role that cannot log
/// in. The owner of the tables has all rights and needs no role.
enum LedgerRole: String, CaseIterable {
    /// Moves money: adds rows and changes some columns, but deletes nothing and creates no tables.
    case station
    /// Reads everything.
    case auditor
    /// Sees whether the ledger works, but nothing about any card.
    case monitor
    /// Shows customers their balances: reads everything and stores the cards' read counters, but
    /// moves no money.
    case customers

    /// The prefix of the roles' names. Roles belong to the whole server, so each database has its
    /// own.
    static func prefix(of database: String) -> String { "tapcard_\(database)_" }

    /// The statements that create the roles and grant their rights.
    static func statements(in database: String) -> [String] {
        [
            // Otherwise, every login could create tables in older versions of PostgreSQL.
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
            "REVOKE ALL ON DATABASE \(database.quotedName) FROM PUBLIC",
        ] + allCases.flatMap { $0.statements(in: database) }
    }

    private func statements(in database: String) -> [String] {
        let login = (LedgerRole.prefix(of: database) + rawValue).quotedName
        return [
            "CREATE ROLE \(login) NOLOGIN",
            "GRANT CONNECT ON DATABASE \(database.quotedName) TO \(login)",
        ] + rights.map { "GRANT \($0) TO \(login)" }
    }

    private static let raising = ["INSERT ON read_counter", "UPDATE (last) ON read_counter"]

    private var rights: [String] {
        switch self {
        case .auditor: ["SELECT ON ALL TABLES IN SCHEMA public"]
        case .customers: ["SELECT ON ALL TABLES IN SCHEMA public"] + LedgerRole.raising
        case .monitor:
            [
                "SELECT ON setting, opening, station, retired_key, key_mark, journal",
                // These columns show how many operations are open, and since when.
                "SELECT (uid, state, begun_at) ON operation",
            ]
        case .station:
            [
                "SELECT ON ALL TABLES IN SCHEMA public",
                """
                INSERT ON card, request_id, operation, reversal, issued_record, house, entry,
                    ticket, ticket_name, prize, activation, code, gap
                """,
                // Only the owner may write off a journal.
                "INSERT (\(StationJournal.reportedColumns), station, place) ON journal",
                // Only the owner may change the sealing key.
                "INSERT (id, mark, is_first) ON key_mark",
                "UPDATE (\(LedgerRole.changedColumnsOfCard)) ON card",
                // An activation takes over the ID that its attempt has reserved.
                "UPDATE (uid, is_attempt) ON request_id",
                "UPDATE (state, sequence, ended_at, balance_after, parameters) ON operation",
                "UPDATE (balance) ON house",
                "UPDATE (state, answered_at, version) ON activation",
                // This is needed to lock a code by updating its row.
                "UPDATE (code) ON code",
                "UPDATE (seen_at, keys, keys_at) ON station",
                "UPDATE (\(StationJournal.reportedColumns)) ON journal",
            ] + LedgerRole.raising
        }
    }

    private static let changedColumnsOfCard =
        KnownRows.CardRow.changedColumns.joined(separator: ", ")
}

extension String {
    /// The text as a quoted SQL name, such as that of a role.
    var quotedName: String { "\"\(replacing("\"", with: "\"\""))\"" }
    /// The text as an SQL literal, for statements that accept no parameters.
    var quotedText: String { "'\(replacing("'", with: "''"))'" }
}
