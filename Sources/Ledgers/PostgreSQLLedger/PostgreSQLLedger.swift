import BlockingLane
import Glibc
package import Ledger
package import TapcardDomain

/// A ledger in a PostgreSQL database, for an issuer's stations, each of which has one connection.
///
/// A change is durable once the server has confirmed COMMIT without a warning. With a
/// synchronous replica, it is then on both machines.
package actor PostgreSQLLedger: LedgerStore {
    package nonisolated let currency: Currency
    private nonisolated let lane: BlockingLane
    private let address: String
    private let station: Int64?
    private let timeouts: ResponseTimeouts
    private let memory: MemoryFile?
    private var confirmed: StationMemory.Note?
    private nonisolated let lead: ClockLead
    private nonisolated let readsOnly = Guarded(false)
    /// The keys that the station has reported on this connection.
    var reported: StationKeys?
    /// The current connection; nil if there is none, for example after a transaction whose outcome
    /// is unknown. A new link finds out what the server kept.
    private var open: OpenLedger?
    /// That transaction, until it can no longer have any effect.
    private var abandoned: AbandonedTransaction?
    /// The rows that the last transactions on this link read and wrote.
    private var known = KnownRows()
    private var isClosed = false
    /// The last failure to reach the server, and until when the next callers get the same error.
    private var outage: (error: LedgerError, until: ContinuousClock.Instant)?
    /// How many times a transaction was repeated because another station got there first.
    package private(set) var repetitions = 0
    /// How many queries writes made for rows that were not loaded, and how many reads ran again.
    package private(set) var misses = 0

    /// Opens the ledger in the database at this address. If no currency is given, the ledger's own
    /// is used. The login determines which station this is.
    ///
    /// `memory` is the path of the station's memory file.
    package static func open(
        _ address: String, currency: Currency? = nil, memory: String? = nil
    ) async throws(LedgerError) -> PostgreSQLLedger {
        try await open(address, currency: currency, as: nil, memory: memory, timeouts: .forTill)
    }

    /// Opens a ledger for tests, where all stations share one login and there is no time limit.
    package static func open(
        _ address: String, currency: Currency? = nil, as station: Int?, memory: String? = nil,
        timeouts: ResponseTimeouts = .forOwner, lead: ClockLead = ClockLead()
    ) async throws(LedgerError) -> PostgreSQLLedger {
        let lane = BlockingLane(label: "tapcard.ledger")
        let station = station.map { Int64($0) }
        let file = memory.map { MemoryFile(path: $0) }
        let opened = try await Doorway(lane).run { () throws(LedgerError) in
            let opened = try OpenLedger(
                at: address, in: currency, as: station, timeouts: timeouts)
            try opened.requireNotLost(file?.last)
            return opened
        }
        let kept = opened.opening.currency
        return PostgreSQLLedger(opened, in: kept, address, station, timeouts, file, lead, lane)
    }

    /// A ledger that has not been reached yet, for a station that is waiting for it. Everything is
    /// refused until the database can be reached; only then is its currency checked.
    package static func notYetConnected(
        _ address: String, currency: Currency, memory: String? = nil
    ) -> PostgreSQLLedger {
        PostgreSQLLedger(
            nil, in: currency, address, nil, .forTill, memory.map { MemoryFile(path: $0) },
            ClockLead(), BlockingLane(label: "tapcard.ledger"))
    }

    private init(
        _ opened: sending OpenLedger?, in currency: Currency, _ address: String,
        _ station: Int64?, _ timeouts: ResponseTimeouts, _ memory: MemoryFile?, _ lead: ClockLead,
        _ lane: BlockingLane
    ) {
        if let opening = opened?.opening {
            lead.measure(opening.clock)
            readsOnly.withLock { $0 = opening.readOnlyReason != nil }
        }
        self.lead = lead
        self.currency = currency
        open = opened
        (self.lane, self.address, self.station) = (lane, address, station)
        (self.timeouts, self.memory) = (timeouts, memory)
        confirmed = memory?.last
    }

    package nonisolated func time(at stationTime: Timestamp) -> Timestamp {
        stationTime.adding(milliseconds: lead.milliseconds)
    }

    package nonisolated var isReadOnly: Bool { readsOnly.withLock { $0 } }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    package func read<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        let ledger = try connected()
        do throws(LedgerError) {
            return try read(on: ledger, footprint, body)
        } catch {
            noteSilence(of: ledger)
            // The server or a failed guardian ended the connection, and reads can be repeated.
            guard !ledger.link.isOpen, !ledger.link.wasSilent else { throw error }
            return try read(on: try connected(), footprint, body)
        }
    }

    private func read<Success>(
        on ledger: OpenLedger, _ footprint: Footprint,
        _ body: @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) throws(LedgerError) -> Success {
        guard footprint != .unknown else { return try ledger.read(body) }
        let rows = PostgreSQLRows(ledger, isWriting: false)
        do throws(LedgerError) {
            try rows.load(footprint, endsTransaction: true)
            lead.measure(rows.clock)
            let success = try body(rows)
            if rows.isAnswered {
                known.merge(rows.known)
                return success
            }
        } catch {
            // After a successful load, the transaction has already ended.
            if !rows.usesKnownRowsOnly { ledger.link.rollBack(rows) }
            guard !rows.isAnswered else { throw error }
        }
        // The footprint contained too few rows, so the body runs again and queries each row.
        misses += 1
        return try ledger.read(body)
    }

    /// Reads on a separate connection and lane, so that taps can continue meanwhile.
    package func readWithoutBlocking<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        _ = try connected()
        let (address, currency, station) = (address, currency, station)
        return try await Doorway(BlockingLane(label: "tapcard.ledger.aside")).run {
            () throws(LedgerError) in
            let ledger = try OpenLedger(
                at: address, in: currency, as: station, timeouts: .forOwner)
            if !ledger.opening.isPooled { try ledger.link.keepPlans() }
            return try ledger.read(body)
        }
    }

    package func write<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        // A single round trip if the rows kept from earlier are still current; otherwise, fresh
        // rows decide.
        if let success = try writeFromKnownRows(body) { return success }
        let maxRepetitions = 10
        var left = maxRepetitions
        while true {
            let ledger = try writable()
            let rows = PostgreSQLRows(ledger, isWriting: true)
            do throws(LedgerError) {
                if footprint != .unknown { try rows.load(footprint) }
                let success = try body(rows)
                misses += rows.misses
                try commit(rows)
                return success
            } catch {
                misses += rows.misses
                ledger.link.rollBack(rows)
                noteSilence(of: ledger)
                let isLost = rows.failure?.isLostRace ?? false
                let mayBeLost = rows.failure?.mayBeLostRace ?? false
                let isDropped =
                    !ledger.link.isOpen && !ledger.link.wasSilent
                    && error.kind != .outcomeUnknown
                // A change that is refused a second time breaks a rule; it did not lose a race.
                let isRepeated =
                    isLost && left > 0 || (mayBeLost || isDropped) && left == maxRepetitions
                guard isRepeated else { throw error }
                left -= 1
                repetitions += 1
                usleep(UInt32.random(in: 0..<2_000) * UInt32(maxRepetitions - left))
            }
        }
    }

    /// Runs `body` on the rows in memory and sends its changes in one batch, which fails if any of
    /// those rows is different on the server. Nil if `body` needs a row that is not in memory, if
    /// it changes nothing, or if the server refuses the batch. In these cases, nothing was written.
    private func writeFromKnownRows<Success>(
        _ body: @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) throws(LedgerError) -> Success? {
        let ledger = try writable()
        let rows = PostgreSQLRows(ledger, isWriting: true, basedOn: known.verifiable)
        guard let success = try? body(rows), rows.canBeVerified else { return nil }
        do throws(LedgerError) {
            try commit(rows)
            return success
        } catch {
            ledger.link.rollBack(rows)
            known = KnownRows()
            guard case .refused? = rows.failure else { throw error }
            repetitions += 1
            return nil
        }
    }

    private func commit(_ rows: PostgreSQLRows) throws(LedgerError) {
        guard rows.hasChanged else {
            // The data behind an answer such as "already paid" must be on the replica, too. Without
            // a pooler, the connection's fence has already ensured that.
            guard !rows.hasBegun || rows.opening.isPooled else { return rows.link.rollBack(rows) }
            return try rows.testWriting()
        }
        do throws(LedgerError) {
            try rows.commit()
            // The balances of ended accounts are not among the known rows.
            known = rows.formerBalances.isEmpty ? rows.known.bounded : KnownRows()
            if let latest = rows.notes.last {
                confirmed = latest
                memory?.keep(rows.notes, areConfirmed: true)
            }
        } catch {
            known = KnownRows()
            if error.kind == .outcomeUnknown {
                if SafetyRule.noCancel.isDisabled { cancel() }
                (open, abandoned) = (nil, AbandonedTransaction(rows))
                memory?.keep(rows.notes, areConfirmed: false)
            }
            throw error
        }
    }

    /// Closes the connection.
    package func close() {
        isClosed = true
        open = nil
    }

    /// The number of round trips since the connection was opened, for tests and measurements.
    package var roundTrips: Int { open?.link.roundTrips ?? 0 }
    /// The number of statements that these round trips carried.
    package var statements: Int { open?.link.statements ?? 0 }

    func connected() throws(LedgerError) -> OpenLedger {
        guard !isClosed else {
            throw LedgerError(.unavailable, "the ledger was closed; open it again")
        }
        if let open, open.link.isOpen {
            try open.keepPlansIfLongLived()
            return open
        }
        if let outage, ContinuousClock.now < outage.until { throw outage.error }
        let new = try newlyConnected()
        lead.measure(new.opening.clock)
        // The server may still execute an abandoned batch, so it has to end before any read.
        try abandoned?.waitForEnd(on: new)
        abandoned = nil
        try new.requireNotLost(confirmed)
        (open, known, reported) = (new, KnownRows(), nil)
        readsOnly.withLock { $0 = new.opening.readOnlyReason != nil }
        return new
    }

    private func writable() throws(LedgerError) -> OpenLedger {
        // Whether the station may write was determined when it connected; that may have changed.
        if open?.opening.readOnlyReason != nil { open = nil }
        let ledger = try connected()
        if let why = ledger.opening.readOnlyReason { throw why }
        return ledger
    }
}

extension PostgreSQLLedger {
    package func ledgerID() async throws(LedgerError) -> String? {
        try connected().opening.ledgerID
    }

    package func remember(notDone operation: Operation) {
        guard let opening = open?.opening else { return }
        memory?.keep(
            notDone: StationMemory.Note(operation, ledgerID: opening.ledgerID, epoch: opening.epoch)
        )
    }

    /// How long the next callers get the last failure immediately. A tap makes several calls, and
    /// each of them would otherwise wait for a server that does not respond.
    private static let outageDuration = Duration.seconds(1)

    private func newlyConnected() throws(LedgerError) -> OpenLedger {
        do throws(LedgerError) {
            return try OpenLedger(at: address, in: currency, as: station, timeouts: timeouts)
        } catch {
            if error.kind == .offline { note(error) }
            throw error
        }
    }

    private func note(_ error: LedgerError) {
        guard timeouts.isForTill else { return }
        outage = (error, .now + PostgreSQLLedger.outageDuration)
    }

    /// Cancels commits that wait for a synchronous replica (wait event SyncRep), over another
    /// connection.
    private func cancel() {
        let cancellation = SQLStatement(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        _ = try? Link(to: address, timeouts: timeouts).run([cancellation])
    }

    /// Records that the server did not respond, because the next caller would wait for it again.
    private func noteSilence(of ledger: OpenLedger) {
        guard ledger.link.wasSilent else { return }
        note(LedgerError(.lost("no response in time")))
    }
}

extension OpenLedger {
    /// Keeps plans on a long-lived connection; a connection for a single command ends before they
    /// pay off. With a pooler, the next transaction has a different connection to the server.
    fileprivate func keepPlansIfLongLived() throws(LedgerError) {
        let longLivedRoundTrips = 24
        guard !opening.isPooled, !link.keepsPlans, link.roundTrips >= longLivedRoundTrips
        else { return }
        try link.keepPlans()
    }

    fileprivate func read<Success>(
        _ body: @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) throws(LedgerError) -> Success {
        let rows = PostgreSQLRows(self, isWriting: false)
        defer { link.rollBack(rows) }
        return try body(rows)
    }
}

extension Link {
    /// Ends a transaction that changed nothing, or whose changes were refused.
    func rollBack(_ rows: PostgreSQLRows) {
        guard rows.hasBegun, isOpen else { return }
        _ = try? run([SQLStatement("ROLLBACK")])
    }
}

/// A transaction whose outcome is unknown. The server may still execute it.
private struct AbandonedTransaction {
    private let deadline: Int64
    private let cards: [CardUID]

    init(_ rows: PostgreSQLRows) {
        (deadline, cards) = (rows.deadline, rows.seenCards.sorted())
    }

    /// Waits until the transaction is over: after its deadline, it is refused; if it was in time,
    /// its cards stay locked until it ends.
    func waitForEnd(on ledger: OpenLedger) throws(LedgerError) {
        if SafetyRule.givenUpHasEnded.isDisabled { return }
        while ledger.opening.clock.now <= deadline { usleep(20_000) }
        let rows = PostgreSQLRows(ledger, isWriting: true)
        defer { ledger.link.rollBack(rows) }
        for uid in cards { _ = try rows.cardRow(uid) }
    }
}

extension PostgreSQLRows {
    /// Commits a transaction that changes no rows, to test whether writing is possible.
    fileprivate func testWriting() throws(LedgerError) {
        do throws(LinkFailure) { try link.commit(takeBeginning() + [Opening.mark]) } catch {
            note(error)
            throw LedgerError(error)
        }
    }

    fileprivate var notes: [StationMemory.Note] {
        changedOperations.map {
            StationMemory.Note($0, ledgerID: opening.ledgerID, epoch: opening.epoch)
        }
    }

    func commit() throws(LedgerError) {
        do throws(LinkFailure) {
            try link.commit(takeBeginning() + takeChangesAndConditions())
        } catch {
            note(error)
            guard case .lost(let why) = error else { throw LedgerError(error) }
            throw LedgerError(
                .outcomeUnknown,
                "the server did not confirm the commit, so the change may or may not have been "
                    + "saved (\(why))")
        }
    }
}
