import Ledger
import TapcardDomain

extension EnrolledTill: TableRow {
    static let table = "till"
    static let qualifiedColumns = columns.qualified(by: table)

    /// Suspends all tills until the owner confirms them, and ends their sessions.
    static let suspensionOfAll = [
        SQLStatement("UPDATE till SET is_suspended = TRUE WHERE removed_at IS NULL"),
        SQLStatement("DELETE FROM session"),
    ]

    /// Inserts the till's row, or updates it if the till already has one.
    var change: SQLStatement {
        SQLStatement(
            """
            INSERT INTO till (\(EnrolledTill.columns))
            VALUES ($1, $2, $3 <> 0, $4 <> 0, $5, $6, $7, $8, $9 <> 0, $10, $11, $12, $13, $14, $15,
                $16, $17, $18)
            ON CONFLICT (number) DO UPDATE SET \(EnrolledTill.assignments)
            """, values)
    }
}

extension PostgreSQLRows {
    func tills() throws(LedgerError) -> [EnrolledTill] {
        // Only one transaction at a time may change tills. Row locks would not be enough, because
        // they do not keep another server from inserting a till.
        if isWriting {
            _ = try run([SQLStatement("LOCK TABLE till IN SHARE ROW EXCLUSIVE MODE")])
        }
        return try rows(where: "TRUE ORDER BY number")
    }

    func save(_ till: EnrolledTill) { change([till.change]) }

    func sessions(at till: Int) throws(LedgerError) -> [CashierSession] {
        try rows(where: "till = $1 ORDER BY opened_at", [.integer(Int64(till))])
    }

    func save(_ session: CashierSession) { change([session.change]) }

    func deleteSession(_ token: [UInt8]) {
        change([SQLStatement("DELETE FROM session WHERE token = $1", [.blob(token)])])
    }
}

extension CashierSession: TableRow {
    static let table = "session"
    static let qualifiedColumns = columns.qualified(by: table)

    /// Inserts the session's row, or records its latest use.
    var change: SQLStatement {
        SQLStatement(
            """
            INSERT INTO session (\(CashierSession.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (token) DO UPDATE SET used_at = excluded.used_at
            """, values)
    }
}

extension PostgreSQLSchema {
    /// The step to version 7, which adds the tills whose readers are on other machines.
    static let enrolledTills = [
        """
        CREATE TABLE till (
            number integer PRIMARY KEY CHECK (number BETWEEN 101 AND 999999),
            name text NOT NULL CHECK (length(name) BETWEEN 1 AND 40),
            is_trusted boolean NOT NULL,
            is_suspended boolean NOT NULL,
            added_at bigint NOT NULL,
            removed_at bigint,
            code bytea CHECK (length(code) = 32),
            code_expires_at bigint,
            code_is_used boolean,
            token bytea CHECK (length(token) = 32),
            epoch bigint NOT NULL CHECK (epoch >= 0),
            attached_at bigint,
            server text CHECK (length(server) <= 1000),
            release text CHECK (length(release) <= 1000),
            reader text CHECK (length(reader) <= 1000),
            address text CHECK (length(address) <= 1000),
            server_address text CHECK (length(server_address) <= 1000),
            run bytea CHECK (length(run) = 16),
            CHECK (removed_at IS NULL OR (code IS NULL AND token IS NULL))
        )
        """,
        "CREATE UNIQUE INDEX till_of_name ON till (name) WHERE removed_at IS NULL",
        "CREATE UNIQUE INDEX till_of_token ON till (token) WHERE token IS NOT NULL",
        """
        CREATE TABLE session (
            token bytea PRIMARY KEY CHECK (length(token) = 32),
            cookie bytea NOT NULL UNIQUE CHECK (length(cookie) = 32),
            till integer NOT NULL REFERENCES till (number),
            cashier text NOT NULL CHECK (length(cashier) <= 1000),
            login bytea NOT NULL CHECK (length(login) = 32),
            opened_at bigint NOT NULL,
            used_at bigint NOT NULL CHECK (used_at >= opened_at)
        )
        """,
        "CREATE INDEX session_of_till ON session (till)",
        // A new ledger has no settings yet; its roles are named after its database.
        """
        DO $$
        DECLARE
            prefix text := coalesce(
                (SELECT roles FROM setting), 'tapcard_' || current_database() || '_');
        BEGIN
            EXECUTE format('GRANT SELECT, INSERT, UPDATE ON till TO %I', prefix || 'station');
            EXECUTE format(
                'GRANT SELECT, INSERT, UPDATE, DELETE ON session TO %I', prefix || 'station');
        END $$
        """,
    ]
}
