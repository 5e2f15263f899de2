extension LedgerSchema {
    /// Tickets, prizes and games, and the attempts to activate codes. Earlier operations have no
    /// subject, and earlier activations no attempt.
    static let version3 = """
        ALTER TABLE operation ADD COLUMN subject TEXT;
        DROP TRIGGER operation_keeps_its_parameters;
        CREATE TRIGGER operation_keeps_its_parameters
        BEFORE UPDATE OF position, id, uid, kind, amount, reverses, subject, begun_at ON operation
        BEGIN SELECT RAISE(ABORT, 'an operation keeps its parameters'); END;

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
        CREATE UNIQUE INDEX one_claim_of_a_ticket ON operation (subject) WHERE kind = 'claim';
        CREATE TRIGGER claim_has_a_ticket BEFORE INSERT ON operation
        WHEN NEW.kind = 'claim' AND NOT EXISTS (
            SELECT 1 FROM counting_ticket WHERE id = NEW.subject)
        BEGIN SELECT RAISE(ABORT, 'a prize is for a ticket that counts'); END;

        ALTER TABLE card ADD COLUMN ticket TEXT REFERENCES ticket (id);
        CREATE TRIGGER card_begins_with_a_ticket_that_counts BEFORE INSERT ON card
        WHEN NEW.ticket IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM counting_ticket WHERE id = NEW.ticket)
        BEGIN SELECT RAISE(ABORT, 'a card has a ticket that counts'); END;
        CREATE TRIGGER card_has_a_ticket_that_counts BEFORE UPDATE ON card
        WHEN NEW.ticket IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM counting_ticket WHERE id = NEW.ticket)
        BEGIN SELECT RAISE(ABORT, 'a card has a ticket that counts'); END;
        ALTER TABLE card ADD COLUMN game TEXT CHECK (length(game) = 32);
        ALTER TABLE card ADD COLUMN game_slots INTEGER CHECK (game_slots BETWEEN 1 AND 12)
            CHECK ((game IS NULL) = (game_slots IS NULL));

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
        CREATE TRIGGER activation_keeps_its_parameters
        BEFORE UPDATE OF position, id, uid, code, requested_at ON activation
        BEGIN SELECT RAISE(ABORT, 'an attempt keeps its parameters'); END;
        CREATE TRIGGER activation_is_answered_once BEFORE UPDATE ON activation
        WHEN OLD.state <> 'requested'
        BEGIN SELECT RAISE(ABORT, 'the attempt was answered'); END;
        CREATE TRIGGER activation_stays BEFORE DELETE ON activation
        BEGIN SELECT RAISE(ABORT, 'an attempt stays'); END;
        """
}
