import BlockingLane
import Glibc
public import Ledger
import LedgerColumns
public import TapcardDomain

/// A ledger in a PostgreSQL database, for the stations of a house. Each station has one connection.
///
/// A change is durable when the server has answered COMMIT with that word and no warning. With a
/// synchronous replica it is on both machines then.
public actor PostgreSQLLedger: LedgerStore {
    public nonisolated let currency: Currency
    private nonisolated let lane: BlockingLane
    private let address: String
    private let station: Int64
    private let answerLimit: Duration
    /// Nil after a transaction of unknown outcome: a new link finds out what the server kept.
    private var link: Link?
    /// The rows that the last transactions on this link have read and written.
    private var known = KnownRows()
    private var isClosed = false
    /// How often a transaction was repeated because another station was quicker.
    package private(set) var repetitions = 0
    /// How many rows were read in a round trip of their own, because no footprint named them.
    package private(set) var misses = 0

    /// Opens the ledger in the database with this address. Without a currency the ledger keeps its
    /// own.
    public static func open(
        _ address: String, currency: Currency? = nil, station: Int = 0,
        answerLimit: Duration = .seconds(6)
    ) async throws(LedgerError) -> PostgreSQLLedger {
        let lane = BlockingLane(label: "tapcard.ledger")
        let opened = try await Doorway(lane).run { () throws(LedgerError) in
            let link = try Link(to: address, answerLimit: answerLimit)
            return Opened(link: link, currency: try link.inspect(in: currency))
        }
        return PostgreSQLLedger(opened, address, station, answerLimit, lane)
    }

    /// Makes an empty ledger in an empty database.
    public static func make(
        in address: String, currency: Currency
    ) async throws(LedgerError) {
        try await make(in: address, currency: currency, partitions: PostgreSQLSchema.partitions)
    }

    /// With a few partitions for tests, which make many ledgers.
    package static func make(
        in address: String, currency: Currency, partitions: Int
    ) async throws(LedgerError) {
        let lane = BlockingLane(label: "tapcard.ledger")
        try await Doorway(lane).run { () throws(LedgerError) in
            let link = try Link(to: address, answerLimit: .seconds(60))
            do throws(LinkFailure) {
                try link.commit(
                    [SQLStatement("BEGIN")]
                        + PostgreSQLSchema.statements(
                            currency: currency.code, partitions: partitions))
            } catch {
                throw LedgerError(error)
            }
        }
    }

    private struct Opened {
        let link: Link
        let currency: Currency
    }

    private init(
        _ opened: sending Opened, _ address: String, _ station: Int, _ answerLimit: Duration,
        _ lane: BlockingLane
    ) {
        currency = opened.currency
        link = opened.link
        self.lane = lane
        self.address = address
        self.station = Int64(station)
        self.answerLimit = answerLimit
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    public func read<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        let link = try connected()
        guard footprint != .unknown else {
            return try PostgreSQLLedger.read(on: link, station, body)
        }
        let rows = PostgreSQLRows(link, station: station, isWriting: false)
        do throws(LedgerError) {
            try rows.load(footprint, isEnded: true)
            let success = try body(rows)
            if rows.isAnswered {
                known.merge(rows.known)
                return success
            }
        } catch {
            link.rollBack(rows)
            guard !rows.isAnswered else { throw error }
        }
        misses += 1
        return try PostgreSQLLedger.read(on: link, station, body)
    }

    /// Reads on a connection and a lane of its own: taps go on in the meantime.
    public func readAtLength<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        _ = try connected()
        let (address, currency, station) = (address, currency, station)
        return try await Doorway(BlockingLane(label: "tapcard.ledger.aside")).run {
            () throws(LedgerError) in
            let link = try Link(to: address, answerLimit: .seconds(600))
            _ = try link.inspect(in: currency)
            return try PostgreSQLLedger.read(on: link, station, body)
        }
    }

    private static func read<Success>(
        on link: Link, _ station: Int64,
        _ body: @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) throws(LedgerError) -> Success {
        let rows = PostgreSQLRows(link, station: station, isWriting: false)
        defer { link.rollBack(rows) }
        return try body(rows)
    }

    public func write<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        if let success = try writeAsKnown(body) { return success }
        let mostRepetitions = 10
        var left = mostRepetitions
        while true {
            let link = try connected()
            let rows = PostgreSQLRows(link, station: station, isWriting: true)
            do throws(LedgerError) {
                if footprint != .unknown { try rows.load(footprint) }
                let success = try body(rows)
                misses += rows.misses
                try commit(rows, on: link)
                return success
            } catch {
                misses += rows.misses
                link.rollBack(rows)
                let isLost = rows.failure?.isLostRace ?? false
                let mayBeLost = rows.failure?.mayBeLostRace ?? false
                // A change that is refused a second time breaks a rule; it did not lose a race.
                let isRepeated = isLost && left > 0 || mayBeLost && left == mostRepetitions
                guard isRepeated else { throw error }
                left -= 1
                repetitions += 1
                usleep(UInt32.random(in: 0..<2_000) * UInt32(mostRepetitions - left))
            }
        }
    }

    /// Runs `body` on the rows in memory and sends its changes in one batch, which fails if one of
    /// those rows is different on the server. The result is nil if `body` needs a row that is not in
    /// memory, if it changes nothing, or if the server refuses the batch. Nothing was written then.
    private func writeAsKnown<Success>(
        _ body: @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) throws(LedgerError) -> Success? {
        let link = try connected()
        let rows = PostgreSQLRows(
            link, station: station, isWriting: true, judgedBy: known.provable)
        guard let success = try? body(rows), rows.canBeProved else { return nil }
        do throws(LedgerError) {
            try commit(rows, on: link)
            return success
        } catch {
            link.rollBack(rows)
            known = KnownRows()
            guard case .refused? = rows.failure else { throw error }
            repetitions += 1
            return nil
        }
    }

    private func commit(_ rows: PostgreSQLRows, on link: Link) throws(LedgerError) {
        guard rows.hasChanged else { return link.rollBack(rows) }
        do throws(LedgerError) {
            try rows.commit()
            // The balances of ended accounts are not part of what is known.
            if rows.formerBalances.isEmpty { known.merge(rows.known) } else { known = KnownRows() }
        } catch {
            known = KnownRows()
            if error.kind == .outcomeUnknown { self.link = nil }
            throw error
        }
    }

    /// Closes the connection.
    public func close() {
        isClosed = true
        link = nil
    }

    /// The number of round trips since the connection was opened: for tests and measurements.
    package var roundTrips: Int { link?.roundTrips ?? 0 }

    private func connected() throws(LedgerError) -> Link {
        guard !isClosed else {
            throw LedgerError(.unavailable, "the ledger was closed; open it again")
        }
        if let link, link.isOpen { return link }
        let new = try Link(to: address, answerLimit: answerLimit)
        _ = try new.inspect(in: currency)
        (link, known) = (new, KnownRows())
        return new
    }
}

extension Link {
    /// Waits until the server can promise what it shows, and reads what kind of ledger it holds.
    ///
    /// After a crash the server shows commits that its replica does not have yet, and that a
    /// failover would take back. A commit of our own waits for the replica, and so for all before.
    func inspect(in currency: Currency?) throws(LedgerError) -> Currency {
        let answers: [SQLAnswer]
        do throws(LinkFailure) {
            try commit([
                SQLStatement("BEGIN"),
                SQLStatement("SELECT pg_logical_emit_message(TRUE, 'tapcard', 'opened')"),
            ])
            answers = try run([SQLStatement("SELECT schema, currency FROM setting")])
        } catch .refused(sqlState: "42P01", _) {
            throw LedgerError(
                .unavailable,
                "the database has no ledger; make one with tapcard ledger init")
        } catch {
            throw LedgerError(error)
        }
        var row = Columns(answers.first?.rows.first ?? [])
        let schema = try row.value(\.integer)
        guard schema <= PostgreSQLSchema.version else {
            throw LedgerError(
                .newer,
                "the ledger was made by a later version of tapcard (schema \(schema), this one "
                    + "knows \(PostgreSQLSchema.version)); install that version")
        }
        let code = try row.value(\.text)
        guard let kept = Currency(code: code) else {
            throw LedgerError(.corrupt, "the currency of the ledger is not known: \(code)")
        }
        guard currency == nil || currency == kept else {
            throw LedgerError(
                .wrongCurrency,
                "the ledger is kept in \(kept.code), not in \(currency?.code ?? ""); set the "
                    + "station to \(kept.code) or name another ledger")
        }
        return kept
    }

    /// Ends a transaction that has changed nothing, or whose changes were refused.
    func rollBack(_ rows: PostgreSQLRows) {
        guard rows.hasBegun, isOpen else { return }
        _ = try? run([SQLStatement("ROLLBACK")])
    }

    /// Carries out a batch and COMMIT in one round trip. It succeeds only if the server answers
    /// COMMIT, without a warning.
    func commit(_ batch: [SQLStatement]) throws(LinkFailure) {
        let answers = try run(batch + [SQLStatement("COMMIT")])
        // COMMIT of a failed transaction is answered by ROLLBACK, as if all were well. A warning
        // says that the replica may not have it: a failover would take it back.
        guard answers.last?.tag == "COMMIT", !hasWarned else {
            close()
            throw .lost("the server did not confirm the commit")
        }
    }
}

extension PostgreSQLRows {
    func commit() throws(LedgerError) {
        do throws(LinkFailure) {
            try link.commit(takeWaiting() + takeChangesAndConditions())
        } catch {
            note(error)
            guard case .lost(let why) = error else { throw LedgerError(error) }
            throw LedgerError(
                .outcomeUnknown, "the database did not say whether it kept the change (\(why))")
        }
    }
}
