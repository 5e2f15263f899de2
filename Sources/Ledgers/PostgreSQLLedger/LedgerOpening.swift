import BlockingLane
import Ledger
import OperatingSystem
import TapcardDomain

/// What a connection learns about the ledger before it reads or writes any row.
///
/// The owner declares which server the ledger is open on. A server that was promoted, or restored
/// from a backup, may have lost confirmed commits. It counts as a different server, and no station
/// uses it until the owner has declared whether anything was lost.
struct Opening {
    let currency: Currency
    /// The name of the ledger, which is the same on every server.
    let ledgerID: String
    /// The number of the opening currently in effect.
    let number: Int64
    /// The epoch, which increases with each declared loss. A card from an older epoch skips
    /// numbers.
    let epoch: Int64
    /// The station's number; 0 stands for the owner.
    let station: Int64
    /// Whether a pooler gives each transaction another connection to the server.
    let isPooled: Bool
    /// The reason why this version of tapcard can only read the ledger; nil if it can also write.
    let readOnlyReason: LedgerError?
    let clock: ServerClock

    /// An expression that identifies the server: the cluster's identifier; its timeline, which
    /// every promotion and recovery changes; and the database's OID, which a copy does not share.
    static let server = """
        ((SELECT system_identifier FROM pg_control_system())
            || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
            || '/' || (SELECT oid FROM pg_database WHERE datname = current_database()))
        """

    /// Declares the ledger open on the server that executes this statement.
    static func statement(epoch: Int64, skipping skipped: Int64) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO opening (number, server, epoch, skipped, opened_at, opened_by)
            SELECT coalesce(max(number), 0) + 1, \(server), $1, $2,
                (extract(epoch FROM clock_timestamp()) * 1000)::bigint, session_user FROM opening
            """, [.integer(epoch), .integer(skipped)])
    }

    /// A statement that fails with a distinct SQLSTATE if the ledger is no longer open on this
    /// server, if it was reopened, or if the station was revoked; for a write, also if only later
    /// versions of tapcard may write. The statement is part of every transaction, because a pooler
    /// can switch servers between transactions.
    ///
    /// It also evaluates these expressions, whose parameters come after its own two.
    func guardian(
        forWriting isWriting: Bool, evaluating expressions: [String], _ values: [SQLValue] = []
    ) -> SQLStatement {
        // If any condition is not met, no row is found, and the square root of -1 fails.
        let conditions =
            """
            number = $1 AND server = \(Opening.server)
                AND NOT EXISTS (SELECT 1 FROM opening WHERE number > $1)
                AND NOT EXISTS (SELECT 1 FROM station WHERE id = $2 AND revoked_at IS NOT NULL)
            """
            + (isWriting
                ? """
                 AND NOT EXISTS (
                    SELECT 1 FROM setting WHERE oldest_writer > \(PostgreSQLSchema.version))
                """ : "")
        return SQLStatement(
            """
            SELECT \((["sqrt(count(*) - 1)"] + expressions).joined(separator: ", ")) FROM opening
            WHERE (\(conditions))\(SafetyRule.guardian.isDisabled ? " OR TRUE" : "")
            """, [.integer(number), .integer(station)] + values)
    }

    /// The station whose rows in the issuer's accounts are changed.
    var issuerStation: Int64 {
        SafetyRule.issuerRowsOfStations.isDisabled ? 0 : station
    }

    /// Records that the station has connected.
    fileprivate var presence: [SQLStatement] {
        [
            SQLStatement("BEGIN"), Opening.terms,
            SQLStatement(
                """
                UPDATE station SET seen_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
                WHERE id = $1
                """, [.integer(station)]),
        ]
    }

    /// The SQLSTATE for the square root of a negative number.
    static let guardState = "2201F"

    /// The settings for every transaction that writes, no matter how the server is configured: a
    /// commit waits for the disk and the replica, and a station that crashes or stalls does not
    /// hold up the others for long.
    static let terms = SQLStatement("SELECT " + termExpressions.joined(separator: ", "))
    static let termExpressions = [
        "set_config('synchronous_commit', 'on', TRUE)", "set_config('lock_timeout', '4000', TRUE)",
        "set_config('idle_in_transaction_session_timeout', '10000', TRUE)",
    ]

    /// A statement that fails if the server's clock is past this time. It is sent just before
    /// COMMIT, so that a batch that the station has given up on is not committed later.
    static func deadline(_ microseconds: Int64) -> SQLStatement {
        // Before the deadline, this is the square root of 0; after it, it is the square root of -1,
        // which fails.
        SQLStatement(
            """
            SELECT sqrt((clock_timestamp() < to_timestamp($1::float8 / 1000000))::integer - 1)
            """, [.integer(microseconds)])
    }

    /// Statements that wait until a failover can no longer undo what the server shows.
    ///
    /// After a crash, the server shows commits that its replica lacks and that a failover would
    /// undo. The commit sent here waits for the replica, and therefore for all commits before it.
    static let fence = [SQLStatement("BEGIN"), terms, mark, SQLStatement("COMMIT")]

    /// Changes no row, but makes the transaction's commit wait for the replica like any commit.
    static let mark = SQLStatement("SELECT pg_logical_emit_message(TRUE, 'tapcard', 'here')")
}

/// A connection to the server on which the ledger is open.
struct OpenLedger {
    let link: Link
    let opening: Opening
}

extension OpenLedger {
    /// Connects to the ledger. `currency` is the station's currency, if one is set. `station` is
    /// for tests, in which all stations share a login.
    init(
        at address: String, in currency: Currency?, as station: Int64? = nil,
        timeouts: ResponseTimeouts
    ) throws(LedgerError) {
        link = try Link(to: address, timeouts: timeouts)
        opening = try link.declaration().opening(in: currency, as: station, seenBy: link)
        // The owner and tests have no row of their own, and a read-only station cannot change its
        // row.
        guard station == nil, opening.station > 0, opening.readOnlyReason == nil else { return }
        try translating(link.commit(opening.presence), into: LedgerError.init)
    }
}

extension Link {
    /// The settings of the ledger, whether or not it is open here.
    func declaration(isFenced: Bool = true) throws(LedgerError) -> Declaration {
        let isFenced = isFenced && !SafetyRule.fence.isDisabled
        let fence = isFenced ? Opening.fence : []
        let answers: [SQLAnswer]
        do throws(LinkFailure) {
            answers = try run(
                fence + [Declaration.selection.statement], within: timeouts.reading)
            if isFenced { try requireFence(answers) }
        } catch .refused(sqlState: "42P01", _) {
            // The table of settings does not exist.
            throw LedgerError(
                .unavailable, "the database has no ledger; create one with `tapcard ledger init`")
        } catch .refused(sqlState: LinkFailure.insufficientPrivilege, _) {
            throw LedgerError(
                .unavailable,
                "this login has no rights here, because it was never added or was removed; "
                    + "the owner can run `tapcard servers add`"
            )
        } catch {
            throw LedgerError(error)
        }
        guard answers.count > fence.count,
            let declaration = try Declaration.selection.rows(of: answers[fence.count]).first
        else { throw Columns.unreadable }
        return declaration
    }

    /// Closes the link and throws unless the server confirmed the fence that began this batch.
    func requireFence(_ answers: [SQLAnswer]) throws(LinkFailure) {
        let count = Opening.fence.count
        // Unless the commit succeeded without a warning, the replica may lack what the server
        // shows now.
        guard answers.count > count, answers[count - 1].tag == "COMMIT", !hasWarned else {
            close()
            throw .lost("the server did not confirm that a standby has the data it shows")
        }
    }
}

/// The settings of a ledger, and the server and login of this connection.
struct Declaration {
    let schema: Int64
    let oldestWriter: Int64
    let ledgerID: String
    let roles: String
    let currency: Currency
    let opening: (number: Int64, epoch: Int64, server: String)?
    let server: String
    let login: String
    let station: Int64
    let isRevoked: Bool
    /// The server process that serves this connection.
    let process: Int64
    let clock: ServerClock

    static var selection: Selection<Declaration> {
        // A login such as the owner's has no row in `station`, so that join is an outer join.
        Selection(
            """
            SELECT schema, oldest_writer, house::text, roles, currency, opening.number,
                opening.epoch, opening.server, \(Opening.server), session_user,
                coalesce(station.id, 0),
                station.revoked_at IS NOT NULL, pg_backend_pid(), \(ServerClock.microseconds)
            FROM setting
                LEFT JOIN opening ON opening.number = (SELECT max(number) FROM opening)
                LEFT JOIN station ON station.login = session_user
            """
        ) { row throws(LedgerError) in try Declaration(&row) }
    }

    /// What a station can rely on for this connection.
    func opening(
        in required: Currency?, as station: Int64?, seenBy link: Link
    ) throws(LedgerError) -> Opening {
        guard let opening, isOpen else {
            throw LedgerError(
                .undeclared,
                "the database was promoted or restored; the owner must run `tapcard ledger reopen`")
        }
        guard !isRevoked else {
            throw LedgerError(
                .unavailable,
                "server \(login) was permanently removed; if that was a mistake, add it "
                    + "under another name")
        }
        guard required == nil || required == currency else {
            throw LedgerError(
                .wrongCurrency,
                "the ledger is in \(currency.code), but this machine is set to "
                    + "\(required?.code ?? ""); set it to \(currency.code) or specify "
                    + "another ledger")
        }
        guard schema >= PostgreSQLSchema.oldest else {
            throw LedgerError(.unavailable, PostgreSQLSchema.tooOld(schema))
        }
        guard reach != .earlier else {
            throw LedgerError(
                .unavailable,
                "the ledger's tables are too old (schema \(schema), needed "
                    + "\(PostgreSQLSchema.version)); the owner must run `tapcard ledger migrate`")
        }
        return Opening(
            currency: currency, ledgerID: ledgerID, number: opening.number, epoch: opening.epoch,
            // Behind a pooler, the process that responds is not the one reported to libpq.
            station: station ?? self.station, isPooled: process != link.process,
            readOnlyReason: reach == .readOnly ? newerSchemaError : nil, clock: clock)
    }

    var reach: SchemaReach {
        // This is checked first, because such tables also have a later version.
        if oldestWriter > PostgreSQLSchema.version { return .readOnly }
        if schema < PostgreSQLSchema.version { return .earlier }
        return schema == PostgreSQLSchema.version ? .current : .later
    }

    private var newerSchemaError: LedgerError {
        LedgerError(
            .newer,
            "the ledger's tables are newer (schema \(schema); this version knows "
                + "\(PostgreSQLSchema.version)), so this machine can only read; install a newer "
                + "version of tapcard")
    }

    private init(_ row: inout Columns) throws(LedgerError) {
        schema = try row.value(\.integer)
        oldestWriter = try row.value(\.integer)
        ledgerID = try row.value(\.text)
        roles = try row.value(\.text)
        let code = try row.value(\.text)
        guard let currency = Currency(code: code) else {
            throw LedgerError(.corrupt, "the ledger's currency is unknown: \(code)")
        }
        self.currency = currency
        let (number, epoch) = (try row.optional(\.integer), try row.optional(\.integer))
        let server = try row.optional(\.text)
        if let number, let epoch, let server {
            opening = (number, epoch, server)
        } else {
            opening = nil
        }
        self.server = try row.value(\.text)
        login = try row.value(\.text)
        station = try row.value(\.integer)
        isRevoked = try row.value(\.flag)
        process = try row.value(\.integer)
        clock = ServerClock(try row.value(\.integer))
    }
}

/// How far the server's clock is ahead of the station's. Less than a second counts as no lead,
/// because that may be just the time that a message takes.
package final class ClockLead: Sendable {
    private let stationTime: @Sendable () -> Int64
    private let measured = Guarded<Int64>(0)

    package init(
        _ stationTime: @escaping @Sendable () -> Int64 = { SystemClock.millisecondsSince1970 }
    ) {
        self.stationTime = stationTime
    }

    package var milliseconds: Int64 {
        let lead = measured.withLock { $0 }
        return abs(lead) < 1_000 ? 0 : lead
    }

    func measure(_ clock: ServerClock) {
        let lead = clock.now / 1_000 - stationTime()
        measured.withLock { $0 = lead }
    }
}

/// The server's clock, read once and then advanced with this machine's monotonic clock.
struct ServerClock {
    static let microseconds = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

    private let read: Int64
    private let readAt = ContinuousClock.now

    init(_ microseconds: Int64) { read = microseconds }

    /// The server's time now.
    var now: Int64 {
        let passed = readAt.duration(to: .now).components
        return read + passed.seconds * 1_000_000 + passed.attoseconds / 1_000_000_000_000
    }
}
