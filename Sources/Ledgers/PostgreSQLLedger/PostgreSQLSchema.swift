import Ledger

/// The tables of a ledger in PostgreSQL. Stations never create or change tables, because their role
/// does not allow it.
///
/// Every table that grows with the payments is partitioned by card from the start, because a table
/// in use cannot be split later. An index over such partitions cannot make a key unique in the
/// whole ledger, so each such key has its own table.
package enum PostgreSQLSchema {
    /// The version of the tables in `script`. No tables of an older version were ever released.
    static let oldest: Int64 = 3
    /// The migration steps: one array of statements for each later version, migrating from the
    /// version before it. A released step must not change.
    package static let steps: [[String]] = [selling, shifts, tills, enrolledTills]
    package static let version = oldest + Int64(steps.count)
    /// The oldest schema version whose programs may write to these tables. Those programs do
    /// not change anything that they do not recognize.
    private static let oldestWriter: Int64 = 1
    static func tooOld(_ schema: Int64) -> String {
        "the tables are from before the first release (version \(schema), oldest supported "
            + "\(oldest)); use an empty database or the version of tapcard that created the tables"
    }

    static let partitions = 32
    /// The upper limit of `place`, a row's position in the global order: 2^53, or the year 2255 in
    /// microseconds. It is low enough that adding 1 cannot overflow.
    static let highestPlace: Int64 = 9_007_199_254_740_992
    /// The latest time a timestamp can represent, in milliseconds since 1970.
    private static let lastTime: Int64 = 8_640_000_000_000_000

    /// The statements that create an empty ledger in the database `name`.
    static func statements(
        currency code: String, in name: String, partitions: Int
    ) -> [SQLStatement] {
        // No text in the script contains a semicolon, so each semicolon ends a statement.
        let tables = script.split(separator: ";").map { String($0) }
        let parts = partitioned.flatMap { table in
            (0..<partitions).map { part in
                """
                CREATE TABLE \(table)_\(part) PARTITION OF \(table)
                FOR VALUES WITH (MODULUS \(partitions), REMAINDER \(part))
                """
            }
        }
        return
            (tables + parts + LedgerRole.statements(in: name) + StationLimits.statements
            + steps.joined()).map { SQLStatement($0) } + [
                SQLStatement(
                    """
                    INSERT INTO setting (single, schema, oldest_writer, currency, roles, house)
                    VALUES (1, $1, $2, $3, $4, gen_random_uuid())
                    """,
                    [
                        .integer(version), .integer(oldestWriter), .text(code),
                        .text(LedgerRole.prefix(of: name)),
                    ]),
                // The ledger is open on the server that creates it, and has lost nothing yet.
                Opening.statement(epoch: 1, skipping: 0),
            ]
    }

    private static let partitioned = [
        "request_id", "operation", "issued_record", "entry", "ticket", "gap",
    ]

    private static let script = """
        CREATE TABLE setting (
            single smallint PRIMARY KEY CHECK (single = 1),
            schema integer NOT NULL,
            oldest_writer integer NOT NULL,
            currency text NOT NULL,
            house uuid NOT NULL,
            roles text NOT NULL,
            origin text
        );

        CREATE TABLE opening (
            number integer PRIMARY KEY,
            server text NOT NULL,
            epoch integer NOT NULL CHECK (epoch >= 1),
            skipped integer NOT NULL CHECK (skipped BETWEEN 0 AND 65536),
            opened_at bigint NOT NULL,
            opened_by text NOT NULL
        );

        CREATE TABLE station (
            id integer PRIMARY KEY CHECK (id >= 1),
            login text NOT NULL UNIQUE,
            registered_at bigint NOT NULL,
            revoked_at bigint,
            seen_at bigint,
            keys text CONSTRAINT keys_are_ids CHECK (
                keys ~ '^([0-9]{1,2}( [0-9]{1,2}){0,15})?$'),
            keys_at bigint
        );

        CREATE TABLE card (
            uid bigint PRIMARY KEY CHECK (uid BETWEEN 0 AND 72057594037927935),
            chip text NOT NULL,
            is_genuine_chip boolean,
            status text NOT NULL CHECK (status IN ('active', 'blocked', 'closed', 'replaced')),
            holder_id bigint CHECK (holder_id >= 1),
            holder_name text,
            scratch text CHECK (scratch IN ('unscratched', 'scratched', 'activated')),
            scratch_code uuid,
            face text NOT NULL,
            account integer NOT NULL CHECK (account >= 1),
            allocated integer NOT NULL CHECK (allocated BETWEEN 0 AND 16777215),
            confirmed integer NOT NULL CHECK (confirmed BETWEEN 0 AND allocated),
            is_display_stale boolean NOT NULL,
            protection text NOT NULL,
            protection_key smallint CHECK (protection_key BETWEEN 0 AND 15),
            foreign_message bytea,
            game text CHECK (length(game) = 32),
            game_slots smallint CHECK (game_slots BETWEEN 1 AND 12),
            ticket text,
            balance bigint NOT NULL CHECK (balance BETWEEN 0 AND 99999999),
            version bigint NOT NULL,
            last_place bigint NOT NULL,
            epoch integer NOT NULL,
            sealed_by smallint,
            CHECK ((scratch_code IS NULL) = (coalesce(scratch, 'unscratched') = 'unscratched')),
            CHECK ((game IS NULL) = (game_slots IS NULL)),
            CONSTRAINT card_is_limited CHECK (
                version BETWEEN 1 AND \(highestPlace) AND last_place BETWEEN 0 AND \(highestPlace)
                AND length(chip) <= 40 AND length(holder_name) <= 1000 AND length(face) <= 40
                AND length(protection) <= 40 AND length(foreign_message) <= 65536
                AND length(ticket) <= 40 AND sealed_by BETWEEN 0 AND 255)
        );
        CREATE INDEX card_by_code ON card (scratch_code) WHERE scratch_code IS NOT NULL;
        CREATE INDEX card_by_holder ON card (holder_id) WHERE holder_id IS NOT NULL;
        CREATE INDEX card_by_key ON card (sealed_by, uid);
        CREATE INDEX card_by_protection ON card (protection_key)
            WHERE protection_key IS NOT NULL;

        CREATE TABLE request_id (
            id uuid PRIMARY KEY,
            uid bigint NOT NULL,
            is_attempt boolean NOT NULL
        ) PARTITION BY HASH (id);

        CREATE TABLE operation (
            uid bigint NOT NULL REFERENCES card (uid),
            place bigint NOT NULL,
            id uuid NOT NULL,
            kind text NOT NULL,
            amount bigint NOT NULL CHECK (
                amount BETWEEN 0 AND 99999999
                OR kind = 'payout' AND amount BETWEEN 1 AND 999999999999999),
            reverses uuid,
            subject text,
            parameters text CHECK (length(parameters) <= 1000),
            cashier text,
            begun_at bigint NOT NULL,
            begun_uptime text CHECK (length(begun_uptime) <= 100),
            state text NOT NULL CHECK (state IN ('pending', 'committed', 'voided')),
            sequence integer NOT NULL CHECK (sequence BETWEEN 0 AND 16777215),
            ended_at bigint,
            balance_after bigint,
            PRIMARY KEY (uid, id),
            CHECK ((state = 'pending') = (ended_at IS NULL)),
            CONSTRAINT operation_is_limited CHECK (
                place BETWEEN 0 AND \(highestPlace) AND length(kind) <= 40
                AND length(subject) <= 1000 AND length(cashier) <= 1000)
        ) PARTITION BY HASH (uid);
        CREATE UNIQUE INDEX one_open_operation ON operation (uid) WHERE state = 'pending';
        CREATE INDEX operation_of_card ON operation (uid, place);
        CREATE INDEX operation_by_place ON operation (place, id);
        CREATE INDEX operation_by_time ON operation (begun_at, place, id);
        CREATE INDEX replacement_of_card ON operation (uid) WHERE kind = 'replace';

        CREATE TABLE reversal (
            id uuid PRIMARY KEY,
            uid bigint NOT NULL,
            operation uuid NOT NULL,
            FOREIGN KEY (uid, operation) REFERENCES operation (uid, id)
        );

        CREATE TABLE issued_record (
            uid bigint NOT NULL REFERENCES card (uid),
            sequence integer NOT NULL CHECK (sequence BETWEEN 1 AND 16777215),
            bytes bytea NOT NULL CHECK (length(bytes) = 16),
            operation uuid NOT NULL,
            key_id smallint CHECK (key_id BETWEEN 0 AND 15),
            PRIMARY KEY (uid, sequence),
            FOREIGN KEY (uid, operation) REFERENCES operation (uid, id)
        ) PARTITION BY HASH (uid);
        CREATE INDEX issued_record_by_bytes ON issued_record (bytes);
        CREATE INDEX issued_record_by_key ON issued_record (key_id);

        CREATE TABLE retired_key (
            id smallint PRIMARY KEY CHECK (id BETWEEN 0 AND 15),
            retired_at bigint NOT NULL,
            place bigint NOT NULL
        );

        CREATE TABLE key_mark (
            id smallint PRIMARY KEY CHECK (id BETWEEN 0 AND 15),
            mark text NOT NULL CONSTRAINT key_mark_is_limited CHECK (length(mark) <= 1000),
            is_first boolean UNIQUE CHECK (is_first),
            announced_at bigint,
            turn integer UNIQUE,
            station integer NOT NULL DEFAULT 0
        );
        CREATE UNIQUE INDEX one_announced_key ON key_mark ((turn IS NULL))
            WHERE announced_at IS NOT NULL AND turn IS NULL;

        CREATE TABLE house (
            account text NOT NULL CONSTRAINT house_is_limited CHECK (
                account IN ('takings', 'cash', 'adopted', 'prizes', 'reissued', 'shortfall')),
            station integer NOT NULL,
            part integer NOT NULL DEFAULT 0,
            balance bigint NOT NULL,
            PRIMARY KEY (account, station, part)
        );

        CREATE TABLE entry (
            uid bigint NOT NULL,
            operation uuid NOT NULL,
            place bigint NOT NULL,
            purse bigint,
            number integer,
            house text,
            station integer NOT NULL,
            amount bigint NOT NULL CHECK (
                amount BETWEEN -99999999 AND 99999999
                OR house IN ('cash', 'prizes')
                AND amount BETWEEN -999999999999999 AND 999999999999999),
            posted_at bigint NOT NULL,
            PRIMARY KEY (uid, operation, place),
            FOREIGN KEY (uid, operation) REFERENCES operation (uid, id),
            CHECK ((purse IS NULL) = (number IS NULL) AND (purse IS NULL) <> (house IS NULL)),
            CONSTRAINT entry_is_limited CHECK (
                place BETWEEN 0 AND \(highestPlace)
                AND house IN ('takings', 'cash', 'adopted', 'prizes', 'reissued', 'shortfall'))
        ) PARTITION BY HASH (uid);
        CREATE INDEX entry_of_other_purse ON entry (purse) WHERE purse <> uid;

        CREATE TABLE ticket (
            uid bigint NOT NULL REFERENCES card (uid),
            id text NOT NULL CHECK (length(id) BETWEEN 1 AND 40),
            operation uuid NOT NULL,
            draw text NOT NULL CHECK (length(draw) BETWEEN 1 AND 40),
            balls text NOT NULL CHECK (length(balls) >= 1),
            bonus integer NOT NULL CHECK (bonus BETWEEN 1 AND 999),
            price bigint NOT NULL CHECK (price BETWEEN 1 AND 99999999),
            bought_at bigint NOT NULL,
            place bigint NOT NULL,
            PRIMARY KEY (uid, id),
            FOREIGN KEY (uid, operation) REFERENCES operation (uid, id),
            CONSTRAINT ticket_is_limited CHECK (
                place BETWEEN 0 AND \(highestPlace) AND length(balls) <= 1000)
        ) PARTITION BY HASH (uid);
        CREATE INDEX ticket_of_operation ON ticket (uid, operation);

        CREATE TABLE ticket_name (
            id text PRIMARY KEY,
            uid bigint NOT NULL,
            operation uuid NOT NULL UNIQUE,
            FOREIGN KEY (uid, id) REFERENCES ticket (uid, id)
        );

        CREATE TABLE prize (
            ticket text PRIMARY KEY REFERENCES ticket_name (id),
            uid bigint NOT NULL,
            operation uuid NOT NULL,
            FOREIGN KEY (uid, operation) REFERENCES operation (uid, id)
        );

        CREATE TABLE activation (
            id uuid PRIMARY KEY,
            place bigint NOT NULL,
            uid bigint NOT NULL REFERENCES card (uid),
            code uuid NOT NULL,
            requested_at bigint NOT NULL,
            state text NOT NULL CHECK (state IN ('requested', 'active', 'rejected')),
            answered_at bigint,
            version text CHECK (length(version) <= 64),
            CHECK ((state = 'requested') = (answered_at IS NULL)),
            CHECK ((state = 'rejected') = (version IS NOT NULL)),
            CONSTRAINT activation_is_limited CHECK (place BETWEEN 0 AND \(highestPlace))
        );
        CREATE UNIQUE INDEX one_attempt_for_a_code ON activation (code) WHERE state <> 'rejected';
        CREATE INDEX activation_of_card ON activation (uid);
        CREATE INDEX activation_of_code ON activation (code);
        CREATE INDEX activation_by_time ON activation (requested_at);
        CREATE INDEX activation_by_place ON activation (place, id);

        CREATE TABLE code (
            code uuid PRIMARY KEY
        );

        CREATE TABLE journal (
            id uuid PRIMARY KEY,
            station integer NOT NULL,
            place bigint NOT NULL,
            settled bigint NOT NULL CHECK (settled >= 0),
            written bigint NOT NULL CHECK (written >= 0),
            missing bigint NOT NULL CHECK (missing >= 0),
            reported_at bigint NOT NULL,
            lasts_until bigint NOT NULL,
            most bigint NOT NULL CHECK (most >= 0),
            written_off_at bigint,
            CONSTRAINT journal_is_limited CHECK (
                greatest(settled, written, missing, most) <= \(highestPlace)
                AND reported_at BETWEEN 0 AND \(lastTime)
                AND lasts_until BETWEEN 0 AND \(lastTime))
        );

        CREATE TABLE gap (
            uid bigint NOT NULL REFERENCES card (uid),
            place bigint NOT NULL,
            first integer NOT NULL CHECK (first BETWEEN 1 AND last),
            last integer NOT NULL CHECK (last <= 16777215),
            PRIMARY KEY (uid, place),
            CONSTRAINT gap_is_limited CHECK (place BETWEEN 0 AND \(highestPlace))
        ) PARTITION BY HASH (uid);

        CREATE TABLE read_counter (
            uid bigint PRIMARY KEY REFERENCES card (uid),
            last integer NOT NULL CHECK (last BETWEEN 0 AND 16777215)
        )
        """
}
