/// Tables whose constraints and triggers enforce the most important rules a second time, so that
/// neither a bug in tapcard nor someone with an SQLite tool can change the history.
///
/// The kind, chip, and face columns do not list their allowed values, because later versions may
/// add more; a program refuses to read a value that it does not know. The protection column does
/// list its values, because an unknown value must not be read as "unprotected".
extension LedgerSchema {
    /// The SQL that creates all tables in an empty file.
    static let tables =
        settings + cards + operations + records + money + tickets + activations + keys + journals
        + counters

    private static let settings = """
        CREATE TABLE setting (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            currency TEXT NOT NULL
        ) STRICT;

        """

    private static let cards = """
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
            protection TEXT NOT NULL DEFAULT 'off' CHECK (
                protection IN (
                    'off', 'setting-password', 'switching-on', 'on', 'switching-off',
                    'clearing-password')),
            protection_key INTEGER
                CHECK (protection_key BETWEEN 0 AND 15)
                CHECK ((protection = 'off') = (protection_key IS NULL)),
            ticket TEXT REFERENCES ticket (id),
            game TEXT CHECK (length(game) = 32),
            game_slots INTEGER CHECK (game_slots BETWEEN 1 AND 12)
                CHECK ((game IS NULL) = (game_slots IS NULL)),
            CHECK ((scratch_code IS NULL) = (coalesce(scratch, 'unscratched') = 'unscratched'))
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX card_by_code ON card (scratch_code) WHERE scratch_code IS NOT NULL;
        CREATE TRIGGER card_numbers_never_fall BEFORE UPDATE ON card
        WHEN NEW.allocated < OLD.allocated OR NEW.confirmed < OLD.confirmed
        BEGIN SELECT RAISE(ABORT, 'a number of the card would fall'); END;
        CREATE TRIGGER card_stays BEFORE DELETE ON card
        BEGIN SELECT RAISE(ABORT, 'a card stays'); END;

        """

    /// The only change to an operation's parameters that is allowed, even after the operation has
    /// ended, is to remove the cardholder's name. A prize paid in cash from the drawer can exceed a
    /// card's maximum balance.
    private static let operations = """
        CREATE TABLE operation (
            position INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
            uid TEXT NOT NULL REFERENCES card (uid),
            kind TEXT NOT NULL,
            amount INTEGER NOT NULL CHECK (
                amount BETWEEN 0 AND 99999999
                OR kind = 'payout' AND amount BETWEEN 1 AND 999999999999999),
            reverses TEXT UNIQUE REFERENCES operation (id),
            begun_at INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('pending', 'committed', 'voided')),
            sequence INTEGER NOT NULL CHECK (sequence BETWEEN 0 AND 16777215),
            ended_at INTEGER,
            balance_after INTEGER,
            subject TEXT,
            cashier TEXT CHECK (length(cashier) BETWEEN 1 AND 40),
            begun_uptime TEXT CHECK (length(begun_uptime) <= 100),
            parameters TEXT CHECK (length(parameters) <= 1000),
            CHECK ((state = 'pending') = (ended_at IS NULL))
        ) STRICT;
        CREATE INDEX operation_of_card ON operation (uid);
        CREATE UNIQUE INDEX one_open_operation ON operation (uid) WHERE state = 'pending';
        CREATE INDEX operation_by_time ON operation (begun_at);
        CREATE INDEX replacement_of_card ON operation (uid) WHERE kind = 'replace';
        CREATE TRIGGER operation_keeps_its_parameters
        BEFORE UPDATE OF position, id, uid, kind, amount, reverses, subject, cashier, begun_at
        ON operation
        BEGIN SELECT RAISE(ABORT, 'an operation keeps its parameters'); END;
        CREATE TRIGGER operation_only_forgets_a_name BEFORE UPDATE OF parameters ON operation
        WHEN NEW.parameters IS NOT
            substr(OLD.parameters, 1, instr(OLD.parameters, char(10) || 'name=')) || 'name'
        BEGIN SELECT RAISE(ABORT, 'an operation keeps its parameters'); END;
        CREATE TRIGGER operation_keeps_its_uptime BEFORE UPDATE OF begun_uptime ON operation
        BEGIN SELECT RAISE(ABORT, 'an operation keeps its time'); END;
        CREATE TRIGGER operation_ends_once
        BEFORE UPDATE OF state, sequence, ended_at, balance_after ON operation
        WHEN OLD.state <> 'pending'
        BEGIN SELECT RAISE(ABORT, 'the operation has ended'); END;
        CREATE TRIGGER operation_stays BEFORE DELETE ON operation
        BEGIN SELECT RAISE(ABORT, 'an operation stays'); END;

        """

    private static let records = """
        CREATE TABLE issued_record (
            uid TEXT NOT NULL REFERENCES card (uid),
            sequence INTEGER NOT NULL CHECK (sequence BETWEEN 1 AND 16777215),
            bytes BLOB NOT NULL CHECK (length(bytes) = 16),
            operation TEXT NOT NULL REFERENCES operation (id),
            key_id INTEGER CHECK (key_id BETWEEN 0 AND 15),
            PRIMARY KEY (uid, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX issued_record_by_bytes ON issued_record (bytes);
        CREATE TRIGGER issued_record_is_final BEFORE UPDATE ON issued_record
        BEGIN SELECT RAISE(ABORT, 'an issued record is never changed'); END;
        CREATE TRIGGER issued_record_stays BEFORE DELETE ON issued_record
        BEGIN SELECT RAISE(ABORT, 'an issued record stays'); END;

        CREATE TABLE gap (
            position INTEGER PRIMARY KEY,
            uid TEXT NOT NULL REFERENCES card (uid),
            first INTEGER NOT NULL CHECK (first BETWEEN 1 AND last),
            last INTEGER NOT NULL CHECK (last <= 16777215)
        ) STRICT;
        CREATE INDEX gap_of_card ON gap (uid);
        CREATE TRIGGER gap_is_final BEFORE UPDATE ON gap
        BEGIN SELECT RAISE(ABORT, 'a gap is never changed'); END;
        CREATE TRIGGER gap_stays BEFORE DELETE ON gap
        BEGIN SELECT RAISE(ABORT, 'a gap stays'); END;

        """

    /// The index on accounts covers only cards' accounts. Each payment also has an entry on an
    /// account of the issuer, but such entries are never looked up by account.
    private static let money = """
        CREATE TABLE account (
            name TEXT NOT NULL PRIMARY KEY,
            balance INTEGER NOT NULL,
            CHECK (name NOT LIKE 'purse:%' OR balance BETWEEN 0 AND 99999999)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE entry (
            position INTEGER PRIMARY KEY,
            operation TEXT NOT NULL REFERENCES operation (id),
            account TEXT NOT NULL REFERENCES account (name),
            amount INTEGER NOT NULL CHECK (
                amount BETWEEN -99999999 AND 99999999
                OR account IN ('cash', 'prizes')
                AND amount BETWEEN -999999999999999 AND 999999999999999),
            posted_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX entry_of_operation ON entry (operation);
        CREATE INDEX entry_of_purse ON entry (account) WHERE account LIKE 'purse:%';
        CREATE TRIGGER entry_is_final BEFORE UPDATE ON entry
        BEGIN SELECT RAISE(ABORT, 'an entry is never changed'); END;
        CREATE TRIGGER entry_stays BEFORE DELETE ON entry
        BEGIN SELECT RAISE(ABORT, 'an entry stays'); END;

        """

    /// A ticket's prize can be booked only once, whether on a card or in cash.
    private static let tickets = """
        CREATE TABLE ticket (
            position INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 40),
            uid TEXT NOT NULL REFERENCES card (uid),
            operation TEXT NOT NULL UNIQUE REFERENCES operation (id),
            draw TEXT NOT NULL CHECK (length(draw) BETWEEN 1 AND 40),
            balls TEXT NOT NULL CHECK (length(balls) >= 1),
            bonus INTEGER NOT NULL CHECK (bonus BETWEEN 1 AND 999),
            price INTEGER NOT NULL CHECK (price BETWEEN 1 AND 99999999),
            bought_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX ticket_of_card ON ticket (uid);
        CREATE TRIGGER ticket_is_final BEFORE UPDATE ON ticket
        BEGIN SELECT RAISE(ABORT, 'a ticket is never changed'); END;
        CREATE TRIGGER ticket_stays BEFORE DELETE ON ticket
        BEGIN SELECT RAISE(ABORT, 'a ticket stays'); END;

        CREATE VIEW counting_ticket AS
            SELECT ticket.id FROM ticket JOIN operation ON operation.id = ticket.operation
            WHERE operation.state = 'committed' AND operation.kind = 'ticket';
        CREATE UNIQUE INDEX one_claim_of_a_ticket ON operation (subject)
            WHERE kind IN ('claim', 'payout');
        CREATE TRIGGER claim_has_a_ticket BEFORE INSERT ON operation
        WHEN NEW.kind IN ('claim', 'payout') AND NOT EXISTS (
            SELECT 1 FROM counting_ticket WHERE id = NEW.subject)
        BEGIN SELECT RAISE(ABORT, 'a prize is for a ticket that counts'); END;
        CREATE TRIGGER card_begins_with_a_ticket_that_counts BEFORE INSERT ON card
        WHEN NEW.ticket IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM counting_ticket WHERE id = NEW.ticket)
        BEGIN SELECT RAISE(ABORT, 'a card has a ticket that counts'); END;
        CREATE TRIGGER card_has_a_ticket_that_counts BEFORE UPDATE ON card
        WHEN NEW.ticket IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM counting_ticket WHERE id = NEW.ticket)
        BEGIN SELECT RAISE(ABORT, 'a card has a ticket that counts'); END;

        """

    /// The attempts to activate codes.
    private static let activations = """
        CREATE TABLE activation (
            position INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
            uid TEXT NOT NULL REFERENCES card (uid),
            code TEXT NOT NULL CHECK (length(code) = 36),
            requested_at INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('requested', 'active', 'rejected')),
            answered_at INTEGER,
            version TEXT CHECK (length(version) <= 64),
            CHECK ((state = 'requested') = (answered_at IS NULL)),
            CHECK ((state = 'rejected') = (version IS NOT NULL))
        ) STRICT;
        CREATE UNIQUE INDEX one_attempt_for_a_code ON activation (code) WHERE state <> 'rejected';
        CREATE INDEX activation_of_card ON activation (uid);
        CREATE INDEX activation_of_code ON activation (code);
        CREATE INDEX activation_by_time ON activation (requested_at);
        CREATE TRIGGER activation_keeps_its_parameters
        BEFORE UPDATE OF position, id, uid, code, requested_at ON activation
        BEGIN SELECT RAISE(ABORT, 'an attempt keeps its parameters'); END;
        CREATE TRIGGER activation_is_answered_once BEFORE UPDATE ON activation
        WHEN OLD.state <> 'requested'
        BEGIN SELECT RAISE(ABORT, 'the attempt was answered'); END;
        CREATE TRIGGER activation_stays BEFORE DELETE ON activation
        BEGIN SELECT RAISE(ABORT, 'an attempt stays'); END;

        """

    /// Once a key is retired, no record can be sealed with it, even at a station that still uses an
    /// older key file.
    private static let keys = """
        CREATE TABLE retired_key (
            id INTEGER PRIMARY KEY CHECK (id BETWEEN 0 AND 15),
            retired_at INTEGER NOT NULL,
            last_operation INTEGER NOT NULL
        ) STRICT;
        CREATE TRIGGER retired_key_is_final BEFORE UPDATE ON retired_key
        BEGIN SELECT RAISE(ABORT, 'a retired key is never changed'); END;
        CREATE TRIGGER retired_key_stays BEFORE DELETE ON retired_key
        BEGIN SELECT RAISE(ABORT, 'a retired key stays'); END;
        CREATE TRIGGER issued_record_is_under_no_retired_key BEFORE INSERT ON issued_record
        WHEN EXISTS (SELECT 1 FROM retired_key WHERE id = NEW.key_id)
        BEGIN SELECT RAISE(ABORT, 'a record would be made with a retired key'); END;

        """

    /// One row per station journal of offline payments.
    private static let journals = """
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

    /// For each card, the highest read counter at which a phone was shown the customer page. A URL
    /// whose counter is not higher is refused.
    private static let counters = """
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
