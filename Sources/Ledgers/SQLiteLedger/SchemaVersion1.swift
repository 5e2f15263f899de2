extension LedgerSchema {
    /// The first tables. The tables enforce the most important rules a second time: neither a bug
    /// in the code above nor a hand with an SQLite tool can change history. Kinds and faces have no
    /// list here: later versions know more of them, and an unknown one is refused when it is read.
    static let version1 = """
        CREATE TABLE setting (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            currency TEXT NOT NULL
        ) STRICT;

        CREATE TABLE card (
            uid TEXT NOT NULL PRIMARY KEY CHECK (length(uid) = 14),
            chip TEXT NOT NULL,
            is_genuine_chip INTEGER CHECK (is_genuine_chip IN (0, 1)),
            status TEXT NOT NULL CHECK (status IN ('active', 'blocked', 'closed', 'replaced')),
            holder_id INTEGER CHECK (holder_id >= 1),
            holder_name TEXT,
            scratch TEXT CHECK (scratch IN ('unscratched', 'scratched', 'activated')),
            scratch_code TEXT CHECK (length(scratch_code) = 36),
            face TEXT NOT NULL,
            account INTEGER NOT NULL CHECK (account >= 1),
            allocated INTEGER NOT NULL CHECK (allocated BETWEEN 0 AND 16777215),
            confirmed INTEGER NOT NULL CHECK (confirmed BETWEEN 0 AND allocated),
            is_display_stale INTEGER NOT NULL CHECK (is_display_stale IN (0, 1)),
            foreign_message BLOB,
            CHECK ((scratch_code IS NULL) = (coalesce(scratch, 'unscratched') = 'unscratched'))
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE operation (
            position INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
            uid TEXT NOT NULL REFERENCES card (uid),
            kind TEXT NOT NULL,
            amount INTEGER NOT NULL CHECK (amount BETWEEN 0 AND 99999999),
            reverses TEXT UNIQUE REFERENCES operation (id),
            begun_at INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('pending', 'committed', 'voided')),
            sequence INTEGER NOT NULL CHECK (sequence BETWEEN 0 AND 16777215),
            ended_at INTEGER,
            balance_after INTEGER,
            CHECK ((state = 'pending') = (ended_at IS NULL))
        ) STRICT;
        CREATE INDEX operation_of_card ON operation (uid);
        CREATE UNIQUE INDEX one_open_operation ON operation (uid) WHERE state = 'pending';

        CREATE TABLE issued_record (
            uid TEXT NOT NULL REFERENCES card (uid),
            sequence INTEGER NOT NULL CHECK (sequence BETWEEN 1 AND 16777215),
            bytes BLOB NOT NULL CHECK (length(bytes) = 16),
            operation TEXT NOT NULL REFERENCES operation (id),
            PRIMARY KEY (uid, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX issued_record_by_bytes ON issued_record (bytes);

        CREATE TABLE account (
            name TEXT NOT NULL PRIMARY KEY,
            balance INTEGER NOT NULL,
            CHECK (name NOT LIKE 'purse:%' OR balance BETWEEN 0 AND 99999999)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE entry (
            position INTEGER PRIMARY KEY,
            operation TEXT NOT NULL REFERENCES operation (id),
            account TEXT NOT NULL REFERENCES account (name),
            amount INTEGER NOT NULL CHECK (amount BETWEEN -99999999 AND 99999999),
            posted_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX entry_of_operation ON entry (operation);

        CREATE TABLE gap (
            position INTEGER PRIMARY KEY,
            uid TEXT NOT NULL REFERENCES card (uid),
            first INTEGER NOT NULL CHECK (first BETWEEN 1 AND last),
            last INTEGER NOT NULL CHECK (last <= 16777215)
        ) STRICT;
        CREATE INDEX gap_of_card ON gap (uid);

        CREATE TRIGGER card_numbers_never_fall BEFORE UPDATE ON card
        WHEN NEW.allocated < OLD.allocated OR NEW.confirmed < OLD.confirmed
        BEGIN SELECT RAISE(ABORT, 'a number of the card would fall'); END;
        CREATE TRIGGER card_stays BEFORE DELETE ON card
        BEGIN SELECT RAISE(ABORT, 'a card stays'); END;

        CREATE TRIGGER operation_keeps_its_parameters
        BEFORE UPDATE OF position, id, uid, kind, amount, reverses, begun_at ON operation
        BEGIN SELECT RAISE(ABORT, 'an operation keeps its parameters'); END;
        CREATE TRIGGER operation_ends_once BEFORE UPDATE ON operation
        WHEN OLD.state <> 'pending'
        BEGIN SELECT RAISE(ABORT, 'the operation has ended'); END;
        CREATE TRIGGER operation_stays BEFORE DELETE ON operation
        BEGIN SELECT RAISE(ABORT, 'an operation stays'); END;

        CREATE TRIGGER issued_record_is_final BEFORE UPDATE ON issued_record
        BEGIN SELECT RAISE(ABORT, 'an issued record is never changed'); END;
        CREATE TRIGGER issued_record_stays BEFORE DELETE ON issued_record
        BEGIN SELECT RAISE(ABORT, 'an issued record stays'); END;

        CREATE TRIGGER entry_is_final BEFORE UPDATE ON entry
        BEGIN SELECT RAISE(ABORT, 'an entry is never changed'); END;
        CREATE TRIGGER entry_stays BEFORE DELETE ON entry
        BEGIN SELECT RAISE(ABORT, 'an entry stays'); END;

        CREATE TRIGGER gap_is_final BEFORE UPDATE ON gap
        BEGIN SELECT RAISE(ABORT, 'a gap is never changed'); END;
        CREATE TRIGGER gap_stays BEFORE DELETE ON gap
        BEGIN SELECT RAISE(ABORT, 'a gap stays'); END;
        """
}
