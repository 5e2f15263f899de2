extension LedgerSchema {
    /// The stations' journals of purchases that were accepted while the ledger was out of reach.
    static let version9 = """
        CREATE TABLE journal (
            id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
            settled INTEGER NOT NULL CHECK (settled >= 0),
            written INTEGER NOT NULL CHECK (written >= 0),
            missing INTEGER NOT NULL CHECK (missing >= 0),
            reported_at INTEGER NOT NULL,
            lasts_until INTEGER NOT NULL,
            most INTEGER NOT NULL CHECK (most >= 0),
            written_off_at INTEGER
        ) STRICT;
        CREATE TRIGGER journal_stays BEFORE DELETE ON journal
        BEGIN SELECT RAISE(ABORT, 'a journal stays'); END;
        CREATE TRIGGER journal_is_not_unsettled BEFORE UPDATE ON journal
        WHEN NEW.settled < OLD.settled
            OR NEW.missing < OLD.missing AND (NEW.missing > 0 OR NEW.written_off_at IS NULL)
        BEGIN SELECT RAISE(ABORT, 'a journal would be unsettled'); END;
        """
}
