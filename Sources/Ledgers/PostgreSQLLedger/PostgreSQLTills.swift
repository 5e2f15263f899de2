import Ledger
import TapcardDomain

extension EnrolledTill: TableRow {
    static let table = "till"
    static let qualifiedColumns = columnNames.map { "till.\($0)" }.joined(separator: ", ")

    /// Suspends all tills until the owner confirms them.
    static let suspensionOfAll = SQLStatement(
        "UPDATE till SET is_suspended = TRUE WHERE removed_at IS NULL")

    /// Inserts the till's row, or updates it if the till already has one.
    var change: SQLStatement {
        SQLStatement(
            """
            INSERT INTO till (\(EnrolledTill.columns))
            VALUES ($1, $2, $3 <> 0, $4 <> 0, $5, $6, $7, $8, $9 <> 0, $10, $11, $12, $13, $14, $15,
                $16)
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
            CHECK (removed_at IS NULL OR (code IS NULL AND token IS NULL))
        )
        """,
        "CREATE UNIQUE INDEX till_of_name ON till (name) WHERE removed_at IS NULL",
        "CREATE UNIQUE INDEX till_of_token ON till (token) WHERE token IS NOT NULL",
        // A new ledger has no settings yet; its roles are named after its database.
        """
        DO $$
        DECLARE
            prefix text := coalesce(
                (SELECT roles FROM setting), 'tapcard_' || current_database() || '_');
        BEGIN
            EXECUTE format('GRANT SELECT, INSERT, UPDATE ON till TO %I', prefix || 'station');
        END $$
        """,
    ]
}
