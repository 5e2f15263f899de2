/// Limits that the server itself enforces on a station's login, using triggers and row policies,
/// because a thief with a stolen login can bypass tapcard. Booked rows cannot be changed, each row
/// records the station that wrote it, and constraints limit its size to what tapcard writes.
enum StationLimits {
    /// The login's station; 0 for a login that does not belong to a station, such as the owner's.
    static let ownStation =
        "coalesce((SELECT own.id FROM public.station AS own WHERE own.login = session_user), 0)"

    static let statements = triggers + policies

    /// Whether the key is the issuer's first key, was announced by the owner, or has become the
    /// sealing key; also true if the ledger has no first key yet. Revoking a station frees key IDs
    /// that only that station reported.
    private static func isKeyOfIssuer(_ key: String) -> String {
        """
        (EXISTS (SELECT 1 FROM public.key_mark AS mark WHERE mark.id = \(key)
            AND (mark.is_first OR mark.announced_at IS NOT NULL OR mark.turn IS NOT NULL))
        OR NOT EXISTS (SELECT 1 FROM public.key_mark AS mark WHERE mark.is_first))
        """
    }

    /// The key of a card's confirmed record, which the card's row refers to.
    static func keyOfRecord(_ card: String) -> String {
        """
        SELECT key_id FROM public.issued_record AS record
        WHERE record.uid = \(card).uid AND record.sequence = \(card).confirmed
        """
    }

    private static let beforeName = "chr(10) || 'name='"

    private static let triggers =
        [
            // Deferred until commit because the card's row is written after its records.
            """
            CREATE FUNCTION refuse_record() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF \(ownStation) > 0 AND NOT (
                    NEW.sequence <= (SELECT allocated FROM public.card WHERE uid = NEW.uid)
                    AND \(isKeyOfIssuer("NEW.key_id")))
                THEN
                    RAISE EXCEPTION 'card %: record % under key %',
                        upper(lpad(to_hex(NEW.uid), 14, '0')), NEW.sequence, NEW.key_id
                        USING ERRCODE = 'check_violation';
                END IF;
                RETURN NULL;
            END $$
            """,
            """
            CREATE FUNCTION refuse_protection() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF TG_OP = 'UPDATE' AND NEW.protection_key IS NOT DISTINCT FROM OLD.protection_key
                THEN
                    RETURN NEW;
                END IF;
                IF \(ownStation) > 0 AND NOT \(isKeyOfIssuer("NEW.protection_key")) THEN
                    RAISE EXCEPTION 'card %: protection under key %',
                        upper(lpad(to_hex(NEW.uid), 14, '0')), NEW.protection_key
                        USING ERRCODE = 'check_violation';
                END IF;
                RETURN NEW;
            END $$
            """,
            """
            CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                RAISE EXCEPTION 'card %: %', upper(lpad(to_hex(OLD.uid), 14, '0')), TG_ARGV[0]
                    USING ERRCODE = 'check_violation';
            END $$
            """,
            // The key is copied to the card's row, where an index can count the cards of each key.
            """
            CREATE FUNCTION note_key_of_record() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                NEW.sealed_by := (\(keyOfRecord("NEW")));
                RETURN NEW;
            END $$
            """,
            // The station is determined here, so that a station cannot enter another station's
            // number.
            """
            CREATE FUNCTION note_station() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                NEW.station := \(ownStation);
                RETURN NEW;
            END $$
            """,
            """
            CREATE TRIGGER card_notes_its_key BEFORE UPDATE ON card FOR EACH ROW
            WHEN (NEW.confirmed <> OLD.confirmed) EXECUTE FUNCTION note_key_of_record()
            """,
            """
            CREATE CONSTRAINT TRIGGER record_is_allocated AFTER INSERT ON issued_record
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_record()
            """,
            """
            CREATE TRIGGER protection_is_ours BEFORE INSERT OR UPDATE OF protection_key ON card
            FOR EACH ROW WHEN (NEW.protection_key IS NOT NULL)
            EXECUTE FUNCTION refuse_protection()
            """,
            """
            CREATE TRIGGER mark_names_its_station BEFORE INSERT ON key_mark FOR EACH ROW
            EXECUTE FUNCTION note_station()
            """,
        ]
        + [
            (
                "card_numbers_never_fall", "card",
                """
                NEW.version <> OLD.version + 1 OR NEW.allocated < OLD.allocated
                OR NEW.confirmed < OLD.confirmed OR NEW.account < OLD.account
                OR NEW.epoch < OLD.epoch OR NEW.last_place < OLD.last_place
                """, "its numbers must not decrease, and its version must increase by 1"
            ),
            (
                "operation_ends_once", "operation",
                """
                OLD.state <> 'pending'
                AND (NEW.state, NEW.sequence, NEW.ended_at, NEW.balance_after)
                    IS DISTINCT FROM (OLD.state, OLD.sequence, OLD.ended_at, OLD.balance_after)
                OR NEW.sequence < OLD.sequence
                """, "an operation that has ended cannot be changed"
            ),
            (
                "operation_only_forgets_a_name", "operation",
                """
                NEW.parameters IS DISTINCT FROM OLD.parameters
                AND (coalesce(strpos(OLD.parameters, \(beforeName)), 0) = 0
                    OR NEW.parameters IS DISTINCT FROM
                        substr(OLD.parameters, 1, strpos(OLD.parameters, \(beforeName))) || 'name')
                """, "an operation's parameters cannot be changed"
            ),
            (
                "activation_is_answered_once", "activation", "OLD.state <> 'requested'",
                "the attempt has already been answered"
            ),
            (
                "read_counter_only_rises", "read_counter", "NEW.last <= OLD.last",
                "a read counter can only increase"
            ),
            (
                "request_id_is_taken_once", "request_id", "NOT OLD.is_attempt OR NEW.is_attempt",
                "an ID can be used only once"
            ),
        ].map { name, table, condition, reason in
            """
            CREATE TRIGGER \(name) BEFORE UPDATE ON \(table) FOR EACH ROW WHEN (\(condition))
            EXECUTE FUNCTION refuse_change(\(reason.quotedText))
            """
        }

    /// The policies that limit which rows a station can write. Anyone with read access to these
    /// tables can read all of their rows.
    private static let policies =
        ["entry", "house", "journal", "station"].flatMap { table in
            [
                "ALTER TABLE \(table) ENABLE ROW LEVEL SECURITY",
                "CREATE POLICY read_all ON \(table) FOR SELECT USING (TRUE)",
            ]
        } + [
            "CREATE POLICY add_own ON entry FOR INSERT WITH CHECK (station = \(ownStation))",
            "CREATE POLICY add_own ON house FOR INSERT WITH CHECK (station = \(ownStation))",
            "CREATE POLICY change_own ON house FOR UPDATE USING (station = \(ownStation))",
            "CREATE POLICY add_own ON journal FOR INSERT WITH CHECK (station = \(ownStation))",
            // Any station may book payments from a copy of another station's journal, in case that
            // station is broken.
            "CREATE POLICY change_all ON journal FOR UPDATE USING (TRUE)",
            "CREATE POLICY change_own ON station FOR UPDATE USING (login = session_user)",
        ]
}
