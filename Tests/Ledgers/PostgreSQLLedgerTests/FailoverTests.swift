import BlockingLane
import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// The server dies while eight stations sell, and its replica takes over.
@Suite("A failover of PostgreSQL", .serialized) struct FailoverTests {
    /// Every confirmed payment is there because its commit waited for the replica.
    @Test("A failover to a synchronous replica loses no confirmed payment")
    func losesNothingOfASynchronousReplica() async throws {
        let told = try await FailoverTests.failOver { primary in try primary.waitForReplica() }
        try await told.issuer.database.reopen(.nothing)
        for station in 1...FailoverTests.stations { _ = try await told.connect(station) }
        let lost = try await told.lost()
        #expect(lost == [])
        print("failover, synchronous replica: \(try await told.figures(lost))")
        #expect(told.payments.count >= FailoverTests.enough)
        try await told.goOn()
    }

    /// The control, which shows that a lost payment is noticed.
    @Test("A failover to a replica that was offline loses payments, and a station notices")
    func losesPaymentsOfAnotherReplica() async throws {
        let told = try await FailoverTests.failOver(withReplicaOffline: true) { _ in }
        // Its owner is wrong. A station that was there notices it, and the owner corrects himself.
        try await told.issuer.database.reopen(.nothing)
        let refused = await #expect(throws: LedgerError.self) {
            for station in 1...FailoverTests.stations { _ = try await told.connect(station) }
        }
        #expect(
            refused?.kind == .undeclared
                && refused?.detail.contains("has lost the confirmed operation") == true
        )
        try await told.issuer.database.reopen(.something)
        for station in 1...FailoverTests.stations { _ = try await told.connect(station) }
        let lost = try await told.lost()
        print("failover, replica offline: \(try await told.figures(lost))")
        #expect(!lost.isEmpty && lost.count < told.payments.count)
        // No number of what is lost is used a second time.
        let highest = lost.map(\.sequence).max() ?? .none
        try await told.goOn(above: highest)
    }

    /// A server that has lost its replica commits alone and shows the commit after a restart, but
    /// the replica never has it.
    @Test("No station trusts a commit of a server that has lost its replica", .checkOnly)
    func believesNoServerThatIsAlone() async throws {
        let primary = try PrivatePostgreSQL()
        let issuer = TestIssuer(server: primary, name: "issuer")
        _ = try primary.database(issuer.name)
        try await issuer.database.makeLedger(in: .usd, partitions: 2)
        let replica = try PrivatePostgreSQL(copying: primary)
        try primary.waitForReplica()
        let ledger = try await PostgreSQLLedger.open(issuer.address, as: 1, timeouts: .forTill)
        let till = LedgerTill(ledger)
        try await till.complete(.issue(1000), id: 1)
        let open = try await till.open(.pay(.cents(100)), id: 2)
        replica.kill()
        let unknown = await #expect(throws: LedgerError.self) { try await till.confirm(open) }
        #expect(unknown?.kind == .outcomeUnknown)
        let again = await #expect(throws: LedgerError.self) { try await till.confirm(open) }
        #expect(again?.kind == .offline)
        let alone = TestIssuer(server: try primary.recovered(), name: issuer.name)
        let state = "SELECT state FROM operation ORDER BY place DESC LIMIT 1"
        #expect(try alone.server.answer(to: state, in: issuer.name) == "committed")
        let refused = await #expect(throws: LedgerError.self) {
            _ = try await PostgreSQLLedger.open(alone.address, as: 1, timeouts: .forTill)
        }
        #expect(refused?.kind == .offline)
        alone.server.kill()
        let promoted = TestIssuer(server: try replica.recovered(), name: issuer.name)
        try promoted.server.promote()
        try await promoted.database.reopen(.nothing)
        let kept = try await PostgreSQLLedger.open(promoted.address, as: 1)
        #expect(try await kept.operation(.numbered(2))?.state == .pending)
        try await LedgerTill(kept).confirm(open)
        #expect(try await LedgerTill(kept).balance() == 900)
    }

    /// An administrator cancels a commit that waits for the replica. The server answers that it was
    /// done, with a warning; the others see it, and it is gone after a promotion.
    @Test("A commit whose wait for the replica was canceled has an unknown outcome", .checkOnly)
    func believesNoCommitWithAWarning() async throws {
        let primary = try PrivatePostgreSQL()
        let issuer = TestIssuer(server: primary, name: "issuer")
        _ = try primary.database(issuer.name)
        try await issuer.database.makeLedger(in: .usd, partitions: 2)
        let replica = try PrivatePostgreSQL(copying: primary)
        try primary.waitForReplica()
        let ledger = try await PostgreSQLLedger.open(issuer.address, as: 1)
        try await LedgerTill(ledger).complete(.issue(1000), id: 1)
        let open = try await LedgerTill(ledger).open(.pay(.cents(100)), id: 2)
        replica.kill()
        let confirming = Task { try await LedgerTill(ledger).confirm(open) }
        let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        try await FailoverTests.wait {
            (try? primary.answer(to: "SELECT count(*) \(waiting)", in: issuer.name)) == "1"
        }
        let cancelled = "SELECT count(pg_cancel_backend(pid)) \(waiting)"
        #expect(try primary.answer(to: cancelled, in: issuer.name) == "1")
        let unknown = await #expect(throws: LedgerError.self) { try await confirming.value }
        #expect(unknown?.kind == .outcomeUnknown)
        let state = "SELECT state FROM operation ORDER BY place DESC LIMIT 1"
        #expect(try primary.answer(to: state, in: issuer.name) == "committed")
        primary.kill()
        let promoted = TestIssuer(server: try replica.recovered(), name: issuer.name)
        try promoted.server.promote()
        try await promoted.database.reopen(.nothing)
        let kept = try await PostgreSQLLedger.open(promoted.address, as: 1)
        #expect(try await kept.operation(.numbered(2))?.state == .pending)
        promoted.server.kill()
    }

    private static let stations = 8
    /// Payments before the server dies.
    private static var enough: Int { Thoroughness.asked > .usual ? 400 : 120 }

    private struct TestIssuer {
        let server: PrivatePostgreSQL
        let name: String

        var address: String { server.address(of: name) }
        var database: PostgreSQLDatabase { PostgreSQLDatabase(address, now: { .tick(0) }) }
    }

    /// The issuer after the failover, and the payments that were confirmed.
    private struct Told {
        let issuer: TestIssuer
        let payments: [Operation]
        /// The payments whose outcome no station learned.
        let unknown: [OperationID]
        /// The beginning of the names of the files in which stations keep what was confirmed to
        /// them.
        let memory: String

        func connect(_ station: Int) async throws -> PostgreSQLLedger {
            try await PostgreSQLLedger.open(
                issuer.address, as: station, memory: "\(memory)-\(station)")
        }

        func lost() async throws -> [Operation] {
            let ledger = try await PostgreSQLLedger.open(issuer.address, as: 0)
            var lost: [Operation] = []
            for payment in payments {
                let kept = try await ledger.operation(payment.id)
                if kept?.state != .committed { lost.append(payment) }
            }
            return lost
        }

        func figures(_ lost: [Operation]) async throws -> String {
            let ledger = try await PostgreSQLLedger.open(issuer.address, as: 0)
            var kept = 0
            for id in unknown where try await ledger.operation(id)?.state == .committed {
                kept += 1
            }
            return "told paid \(payments.count), of them lost \(lost.count); unknown "
                + "\(unknown.count), of them paid \(kept)"
        }

        /// Every card can be used again, and the books are right.
        func goOn(above highest: SequenceNumber = .none) async throws {
            let ledger = try await PostgreSQLLedger.open(issuer.address, as: 0)
            let till = LedgerTill(ledger)
            for number in 1...FailoverTests.stations {
                let uid = CardUID.numbered(UInt8(number))
                _ = try await ledger.voidOpenPayment(
                    on: uid, version: CardVersion(try await till.knownCard(uid)), at: .end)
                let paid = try await till.complete(
                    .pay(.cents(1)), id: 1_000_000 + number, on: uid)
                #expect(paid.sequence > highest)
            }
            #expect(try await ledger.audit().violations == [])
        }
    }

    private static func failOver(
        withReplicaOffline isOffline: Bool = false, _ prepare: (PrivatePostgreSQL) throws -> Void
    ) async throws -> Told {
        let primary = try PrivatePostgreSQL()
        let issuer = TestIssuer(server: primary, name: "issuer")
        _ = try primary.database(issuer.name)
        try await issuer.database.makeLedger(in: .usd, partitions: 2)
        let till = LedgerTill(try await PostgreSQLLedger.open(issuer.address, as: 0))
        for number in 1...stations {
            try await till.complete(.issue(90_000), id: number, on: .numbered(UInt8(number)))
        }
        let replica = try PrivatePostgreSQL(copying: primary)
        try prepare(primary)
        let told = Guarded<[Operation]>([])
        let unknown = Guarded<[OperationID]>([])
        let memory = "\(primary.socket)-confirmed"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for station in 1...stations {
                let ledger = try await PostgreSQLLedger.open(
                    issuer.address, as: station, memory: "\(memory)-\(station)")
                group.addTask { await sell(at: station, on: ledger, told, unknown) }
            }
            try await wait { told.withLock { $0.count } >= enough / 2 }
            if isOffline { replica.kill() }
            try await wait { told.withLock { $0.count } >= enough }
            primary.kill()
            try await group.waitForAll()
        }
        let promoted = isOffline ? try replica.recovered() : replica
        try promoted.promote()
        return Told(
            issuer: TestIssuer(server: promoted, name: issuer.name), payments: told.withLock { $0 },
            unknown: unknown.withLock { $0 }, memory: memory)
    }

    /// Sells until the ledger is gone.
    private static func sell(
        at station: Int, on ledger: PostgreSQLLedger, _ told: Guarded<[Operation]>,
        _ unknown: Guarded<[OperationID]>
    ) async {
        let till = LedgerTill(ledger)
        let uid = CardUID.numbered(UInt8(station))
        var id = 1000 * station
        while true {
            do {
                let paid = try await till.complete(.pay(.cents(1)), id: id, on: uid)
                told.withLock { $0.append(paid) }
            } catch {
                guard (error as? LedgerError)?.kind == .outcomeUnknown else { return }
                return unknown.withLock { [id] in $0.append(.numbered(id)) }
            }
            id += 1
        }
    }

    private static func wait(for isSo: () -> Bool) async throws {
        while !isSo() { try await Task.sleep(for: .milliseconds(2)) }
    }
}
