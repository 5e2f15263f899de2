extension PostgreSQLSchema {
    /// The step to version 5, which adds shifts, their counts, changes without a card, and accounts
    /// for the safe and for rounding.
    static let shifts = [
        """
        CREATE TABLE shift (
            id uuid PRIMARY KEY,
            station integer NOT NULL,
            opened_at bigint NOT NULL,
            opened_by text CHECK (length(opened_by) <= 1000),
            float bigint NOT NULL CHECK (float BETWEEN 0 AND 99999999),
            closed_at bigint,
            closed_by text CHECK (length(closed_by) <= 1000),
            expected bigint,
            CHECK ((closed_at IS NULL) = (expected IS NULL))
        )
        """,
        "CREATE UNIQUE INDEX one_open_shift ON shift (station) WHERE closed_at IS NULL",
        """
        CREATE TABLE shift_count (
            shift uuid NOT NULL REFERENCES shift (id),
            position integer NOT NULL CHECK (position BETWEEN 0 AND 9999),
            amount bigint NOT NULL CHECK (amount BETWEEN 0 AND 999999999999999),
            at bigint NOT NULL,
            cashier text CHECK (length(cashier) <= 1000),
            PRIMARY KEY (shift, position)
        )
        """,
        "ALTER TABLE entry ADD COLUMN shift uuid",
        "CREATE INDEX entry_of_shift ON entry (shift) WHERE shift IS NOT NULL",
        """
        CREATE TABLE cardless (
            id uuid PRIMARY KEY,
            kind text NOT NULL CHECK (length(kind) <= 40),
            amount bigint NOT NULL CHECK (amount BETWEEN -99999999 AND 99999999 AND amount <> 0),
            tender text NOT NULL CHECK (tender IN ('cash', 'terminal', 'other')),
            rounding integer NOT NULL CHECK (rounding BETWEEN -999 AND 999),
            given bigint CHECK (given BETWEEN 0 AND 999999999999999),
            lines text CHECK (length(lines) BETWEEN 1 AND 12000),
            reverses uuid UNIQUE REFERENCES cardless (id) DEFERRABLE INITIALLY DEFERRED,
            reason text CHECK (length(reason) BETWEEN 1 AND 40),
            cashier text CHECK (length(cashier) <= 1000),
            at bigint NOT NULL,
            station integer NOT NULL,
            shift uuid REFERENCES shift (id),
            CHECK ((kind = 'undo') = (reverses IS NOT NULL))
        )
        """,
        "CREATE INDEX cardless_by_time ON cardless (at, id)",
        "CREATE INDEX cardless_of_shift ON cardless (shift) WHERE shift IS NOT NULL",
        """
        CREATE VIEW cardless_entry AS
            SELECT id, CASE WHEN kind IN ('sale', 'undo') THEN 'takings' ELSE 'safe' END
                AS account, amount, shift FROM cardless
            UNION ALL SELECT id, tender, -(amount + rounding), shift FROM cardless
            UNION ALL SELECT id, 'rounding', rounding, shift FROM cardless WHERE rounding <> 0
        """,
        "ALTER TABLE house DROP CONSTRAINT house_is_limited",
        "ALTER TABLE house ADD CONSTRAINT house_is_limited CHECK (account IN (\(issuerAccounts)))",
        // A closed shift is final, and a station may write only its own rows.
        """
        CREATE FUNCTION refuse_change_of_shift() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'shift %: a closed shift cannot be changed', OLD.id
                USING ERRCODE = 'check_violation';
        END $$
        """,
        """
        CREATE TRIGGER shift_is_closed_once BEFORE UPDATE ON shift FOR EACH ROW
        WHEN (OLD.closed_at IS NOT NULL) EXECUTE FUNCTION refuse_change_of_shift()
        """,
        "ALTER TABLE shift ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY read_all ON shift FOR SELECT USING (TRUE)",
        """
        CREATE POLICY add_own ON shift FOR INSERT
        WITH CHECK (station = \(StationLimits.ownStation))
        """,
        """
        CREATE POLICY change_own ON shift FOR UPDATE
        USING (station = \(StationLimits.ownStation))
        """,
        "ALTER TABLE cardless ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY read_all ON cardless FOR SELECT USING (TRUE)",
        """
        CREATE POLICY add_own ON cardless FOR INSERT
        WITH CHECK (station = \(StationLimits.ownStation))
        """,
        // A new ledger has no settings yet, and its roles are named after its database.
        """
        DO $$
        DECLARE
            prefix text := coalesce(
                (SELECT roles FROM setting), 'tapcard_' || current_database() || '_');
        BEGIN
            EXECUTE format(
                'GRANT SELECT ON shift, shift_count, cardless, cardless_entry TO %I, %I, %I',
                prefix || 'station', prefix || 'auditor', prefix || 'customers');
            EXECUTE format('GRANT INSERT ON shift, shift_count, cardless TO %I',
                prefix || 'station');
            EXECUTE format('GRANT UPDATE (closed_at, closed_by, expected) ON shift TO %I',
                prefix || 'station');
        END $$
        """,
    ]

    /// The step to version 6, which adds the till, and the second person who consented.
    static let tills = ["operation", "cardless"].flatMap { table in
        ["till", "supervisor"].map { column in
            "ALTER TABLE \(table) ADD COLUMN \(column) text CHECK (length(\(column)) <= 1000)"
        }
    }

    /// The issuer's accounts in version 5.
    private static let issuerAccounts = """
        'takings', 'cash', 'terminal', 'other', 'adopted', 'prizes', 'reissued', 'shortfall',
        'safe', 'rounding'
        """
}
