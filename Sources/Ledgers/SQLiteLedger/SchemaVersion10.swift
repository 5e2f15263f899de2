extension LedgerSchema {
    /// The highest counter of each card's own page that was shown to a phone. An older address of
    /// the page is refused.
    static let version10 = """
        CREATE TABLE read_counter (
            uid TEXT NOT NULL PRIMARY KEY REFERENCES card (uid),
            last INTEGER NOT NULL CHECK (last BETWEEN 0 AND 16777215)
        ) STRICT;
        CREATE TRIGGER read_counter_stays BEFORE DELETE ON read_counter
        BEGIN SELECT RAISE(ABORT, 'a counter stays'); END;
        CREATE TRIGGER read_counter_only_rises BEFORE UPDATE ON read_counter
        WHEN NEW.uid <> OLD.uid OR NEW.last <= OLD.last
        BEGIN SELECT RAISE(ABORT, 'a counter would not rise'); END;
        """
}
