import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// A link between station and server that dies without notice, as when a switch loses power. To the
/// server, a station that has sent half of a batch still seems about to send the rest.
@Suite("A dead link to PostgreSQL", .serialized) struct DeadLinkTests {
    private static let issuer = "issuer"
    /// The server takes a hundred connections at a time.
    private static let mostStations = 60

    @Test(
        "Links that die after each statement of a payment leave no card locked",
        .enabled(if: Cable.isPossible, "network namespaces need root, and iproute2"),
        .timeLimit(.minutes(5)))
    func leavesNoCardLocked() async throws {
        let cable = try Cable()
        defer { cable.end() }
        let server = try PrivatePostgreSQL(at: cable)
        defer { server.kill() }
        let owned = PostgreSQLDatabase(try server.database(Self.issuer), now: { .tick(0) })
        try await owned.makeLedger(in: .usd, partitions: 1)
        let ledger = try await PostgreSQLLedger.open(server.address(of: Self.issuer), as: 0)
        let till = LedgerTill(ledger)
        let places = try await Self.endsOfStatements(of: till, cable)
        var stations: [(cutter: LinkCutter, payment: Task<Void, Never>)] = []
        for (number, place) in places.enumerated() {
            let uid = Self.card(number)
            try await till.complete(.issue(1_000), id: number + 1, on: uid)
            let (cutter, station) = try await Self.station(number + 1, cable)
            cutter.cut(after: place, .toServer, .pause)
            let payment = Task {
                _ = try? await LedgerTill(station).complete(
                    .pay(.cents(1)), id: 1_000 + number, on: uid)
            }
            stations.append((cutter, payment))
            try await Self.wait { cutter.hasPaused }
        }

        let sessions = "SELECT count(*) FROM pg_stat_activity WHERE client_addr IS NOT NULL"
        let waiting = sessions + " AND state = 'active' AND wait_event = 'ClientRead'"
        try await Self.wait { try server.answer(to: waiting, in: Self.issuer) != "0" }
        let inTheMiddle = try server.answer(to: waiting, in: Self.issuer)
        try cable.pullOut()
        try await Self.wait { try server.answer(to: sessions, in: Self.issuer) == "0" }
        print("dead links: \(places.count), of which in the middle of a batch: \(inTheMiddle)")

        for station in stations {
            station.cutter.end()
            await station.payment.value
        }
        for number in places.indices {
            let uid = Self.card(number)
            _ = try await ledger.voidOpenPayment(
                on: uid, version: CardVersion(try await till.knownCard(uid)), at: .end)
            try await till.complete(.pay(.cents(1)), id: 2_000 + number, on: uid)
        }
        #expect(try await ledger.audit().violations == [])
    }

    /// The card on which the statements were counted has an earlier number.
    private static func card(_ number: Int) -> CardUID { .numbered(UInt8(number + 2)) }

    /// How many bytes a station has sent at the end of each statement of a payment.
    private static func endsOfStatements(of till: LedgerTill, _ cable: Cable) async throws -> [Int]
    {
        let (cutter, station) = try await station(0, cable)
        defer { cutter.end() }
        try await till.complete(.issue(1_000), id: 0)
        cutter.cut(after: .max, .toServer)
        try await LedgerTill(station).complete(.pay(.cents(1)), id: 999)
        let sent = cutter.passed(.toServer)
        await station.close()
        var (ends, end) = ([Int](), 0)
        while end + 5 <= sent.count {
            let isExecute = sent[end] == UInt8(ascii: "E")
            end += 1 + sent[(end + 1)..<(end + 5)].reduce(0) { $0 << 8 + Int($1) }
            if isExecute { ends.append(end) }
        }
        let step = ends.count / mostStations + 1
        return stride(from: 0, to: ends.count, by: step).map { ends[$0] }
    }

    private static func station(
        _ number: Int, _ cable: Cable
    ) async throws -> (LinkCutter, PostgreSQLLedger) {
        let cutter = try LinkCutter(to: cable.address)
        return (cutter, try await PostgreSQLLedger.open(cutter.address(of: issuer), as: number))
    }

    private static func wait(for isSo: () throws -> Bool) async throws {
        while try !isSo() { try await Task.sleep(for: .milliseconds(20)) }
    }
}
