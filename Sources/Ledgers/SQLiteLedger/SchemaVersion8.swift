extension LedgerSchema {
    /// Retired keys, and the key of each record: no record is made with a key after it was retired,
    /// even by a station that has read an older key file. Only the bytes of an earlier record tell
    /// its key.
    static let version8 = """
        CREATE TABLE retired_key (
            id INTEGER PRIMARY KEY CHECK (id BETWEEN 0 AND 15),
            retired_at INTEGER NOT NULL,
            last_operation INTEGER NOT NULL
        ) STRICT;
        CREATE TRIGGER retired_key_is_final BEFORE UPDATE ON retired_key
        BEGIN SELECT RAISE(ABORT, 'a retired key is never changed'); END;
        CREATE TRIGGER retired_key_stays BEFORE DELETE ON retired_key
        BEGIN SELECT RAISE(ABORT, 'a retired key stays'); END;

        ALTER TABLE issued_record ADD COLUMN key_id INTEGER CHECK (key_id BETWEEN 0 AND 15);
        CREATE TRIGGER issued_record_is_under_no_retired_key BEFORE INSERT ON issued_record
        WHEN EXISTS (SELECT 1 FROM retired_key WHERE id = NEW.key_id)
        BEGIN SELECT RAISE(ABORT, 'a record would be made with a retired key'); END;
        """
}
