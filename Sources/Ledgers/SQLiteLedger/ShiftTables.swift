extension LedgerSchema {
    /// The script for version 12, which adds shifts, their counts, and changes without a card.
    static let shifts = """
        CREATE TABLE shift (
            id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
            opened_at INTEGER NOT NULL,
            opened_by TEXT,
            float INTEGER NOT NULL CHECK (float BETWEEN 0 AND 99999999),
            closed_at INTEGER,
            closed_by TEXT,
            expected INTEGER,
            CHECK ((closed_at IS NULL) = (expected IS NULL))
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX one_open_shift ON shift ((closed_at IS NULL)) WHERE closed_at IS NULL;
        CREATE TRIGGER shift_keeps_its_opening
        BEFORE UPDATE OF id, opened_at, opened_by, float ON shift
        BEGIN SELECT RAISE(ABORT, 'a shift keeps its opening'); END;
        CREATE TRIGGER shift_is_closed_once BEFORE UPDATE ON shift WHEN OLD.closed_at IS NOT NULL
        BEGIN SELECT RAISE(ABORT, 'the shift is closed'); END;
        CREATE TRIGGER shift_stays BEFORE DELETE ON shift
        BEGIN SELECT RAISE(ABORT, 'a shift stays'); END;

        CREATE TABLE shift_count (
            position INTEGER PRIMARY KEY,
            shift TEXT NOT NULL REFERENCES shift (id),
            amount INTEGER NOT NULL CHECK (amount BETWEEN 0 AND 999999999999999),
            at INTEGER NOT NULL,
            cashier TEXT
        ) STRICT;
        CREATE INDEX count_of_shift ON shift_count (shift);
        CREATE TRIGGER shift_count_is_final BEFORE UPDATE ON shift_count
        BEGIN SELECT RAISE(ABORT, 'a count is never changed'); END;
        CREATE TRIGGER shift_count_stays BEFORE DELETE ON shift_count
        BEGIN SELECT RAISE(ABORT, 'a count stays'); END;

        ALTER TABLE entry ADD COLUMN shift TEXT REFERENCES shift (id);
        CREATE INDEX entry_of_shift ON entry (shift) WHERE shift IS NOT NULL;

        CREATE TABLE cardless (
            id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
            kind TEXT NOT NULL,
            amount INTEGER NOT NULL CHECK (
                amount BETWEEN -99999999 AND 99999999 AND amount <> 0),
            tender TEXT NOT NULL CHECK (tender IN ('cash', 'terminal', 'other')),
            rounding INTEGER NOT NULL CHECK (rounding BETWEEN -999 AND 999),
            given INTEGER,
            lines TEXT CHECK (length(lines) BETWEEN 1 AND 12000),
            reverses TEXT UNIQUE REFERENCES cardless (id),
            reason TEXT CHECK (length(reason) BETWEEN 1 AND 40),
            cashier TEXT,
            at INTEGER NOT NULL,
            shift TEXT REFERENCES shift (id),
            CHECK ((kind = 'undo') = (reverses IS NOT NULL))
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX cardless_by_time ON cardless (at, id);
        CREATE INDEX cardless_of_shift ON cardless (shift) WHERE shift IS NOT NULL;
        CREATE TRIGGER cardless_has_a_new_id BEFORE INSERT ON cardless
        WHEN EXISTS (SELECT 1 FROM operation WHERE id = NEW.id)
        BEGIN SELECT RAISE(ABORT, 'the ID is used'); END;
        CREATE TRIGGER operation_has_a_new_id BEFORE INSERT ON operation
        WHEN EXISTS (SELECT 1 FROM cardless WHERE id = NEW.id)
        BEGIN SELECT RAISE(ABORT, 'the ID is used'); END;
        CREATE TRIGGER cardless_is_final BEFORE UPDATE ON cardless
        BEGIN SELECT RAISE(ABORT, 'a change is final'); END;
        CREATE TRIGGER cardless_stays BEFORE DELETE ON cardless
        BEGIN SELECT RAISE(ABORT, 'a change stays'); END;

        CREATE VIEW cardless_entry AS
            SELECT id, CASE WHEN kind IN ('sale', 'undo') THEN 'takings' ELSE 'safe' END
                AS account, amount, shift FROM cardless
            UNION ALL SELECT id, tender, -(amount + rounding), shift FROM cardless
            UNION ALL SELECT id, 'rounding', rounding, shift FROM cardless WHERE rounding <> 0;
        """
}
