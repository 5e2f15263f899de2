import Ledger
import TapcardDomain

extension SQLiteRows {
    func tills() throws(LedgerError) -> [EnrolledTill] {
        try connection.query("SELECT \(EnrolledTill.columns) FROM till ORDER BY number") {
            row throws(LedgerError) in try EnrolledTill(&row)
        }
    }

    func save(_ till: EnrolledTill) throws(LedgerError) {
        try connection.run(
            """
            INSERT INTO till (\(EnrolledTill.columns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (number) DO UPDATE SET \(EnrolledTill.assignments)
            """, till.values)
    }

    func sessions(at till: Int) throws(LedgerError) -> [CashierSession] {
        try connection.query(
            "SELECT \(CashierSession.columns) FROM session WHERE till = ? ORDER BY opened_at",
            [.integer(Int64(till))]
        ) { row throws(LedgerError) in try CashierSession(&row) }
    }

    func save(_ session: CashierSession) throws(LedgerError) {
        try connection.run(
            """
            INSERT INTO session (\(CashierSession.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (token) DO UPDATE SET used_at = excluded.used_at
            """, session.values)
    }

    func deleteSession(_ token: [UInt8]) throws(LedgerError) {
        try connection.run("DELETE FROM session WHERE token = ?", [.blob(token)])
    }
}

extension LedgerSchema {
    /// The script for version 14, which adds the tills whose readers are on other machines.
    static let enrolledTills = """
        CREATE TABLE till (
            number INTEGER PRIMARY KEY CHECK (number BETWEEN 101 AND 999999),
            name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 40),
            is_trusted INTEGER NOT NULL CHECK (is_trusted IN (0, 1)),
            is_suspended INTEGER NOT NULL CHECK (is_suspended IN (0, 1)),
            added_at INTEGER NOT NULL,
            removed_at INTEGER,
            code BLOB CHECK (length(code) = 32),
            code_expires_at INTEGER,
            code_is_used INTEGER CHECK (code_is_used IN (0, 1)),
            token BLOB CHECK (length(token) = 32),
            epoch INTEGER NOT NULL CHECK (epoch >= 0),
            attached_at INTEGER,
            server TEXT,
            release TEXT,
            reader TEXT,
            address TEXT,
            server_address TEXT,
            run BLOB CHECK (length(run) = 16),
            CHECK (removed_at IS NULL OR (code IS NULL AND token IS NULL))
        ) STRICT;
        CREATE UNIQUE INDEX till_of_name ON till (name) WHERE removed_at IS NULL;
        CREATE UNIQUE INDEX till_of_token ON till (token) WHERE token IS NOT NULL;
        CREATE TRIGGER till_epoch_never_falls BEFORE UPDATE ON till WHEN NEW.epoch < OLD.epoch
        BEGIN SELECT RAISE(ABORT, 'an epoch cannot decrease'); END;
        CREATE TRIGGER till_stays BEFORE DELETE ON till
        BEGIN SELECT RAISE(ABORT, 'a till cannot be deleted'); END;
        CREATE TABLE session (
            token BLOB PRIMARY KEY CHECK (length(token) = 32),
            cookie BLOB NOT NULL UNIQUE CHECK (length(cookie) = 32),
            till INTEGER NOT NULL REFERENCES till (number),
            cashier TEXT NOT NULL,
            login BLOB NOT NULL CHECK (length(login) = 32),
            opened_at INTEGER NOT NULL,
            used_at INTEGER NOT NULL CHECK (used_at >= opened_at)
        ) STRICT;
        CREATE INDEX session_of_till ON session (till);
        """
}
