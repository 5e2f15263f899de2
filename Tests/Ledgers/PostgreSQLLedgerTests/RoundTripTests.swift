import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import Testing

/// The cost of a tap on a link with a delay.
@Suite("Round trips to PostgreSQL", .serialized) struct RoundTripTests {
    /// The card is read twice beforehand and once more by the beginning.
    @Test(
        "A tap takes five round trips: three reads, a beginning and a confirmation",
        arguments: [CardAction.pay(.cents(3)), .add(.cents(3)), .scratch(.numbered(9))])
    func ofATap(_ action: CardAction) async throws {
        try await TestDatabase.temporary { database in
            let ledger = try await database.open()
            let till = LedgerTill(ledger)
            try await till.complete(.issue(), id: 1)
            let (before, misses) = (await ledger.roundTrips, await ledger.misses)
            _ = try await ledger.knownCard(of: .first, holding: [])
            _ = try await ledger.knownCard(of: .first, holding: [])
            let looks = await ledger.roundTrips - before
            let open = try await till.open(action, id: 2)
            try await till.confirm(open)
            #expect(looks == 2)
            // The till looks before it begins, too.
            let trips = await ledger.roundTrips - before
            #expect(trips == 5)
            #expect(await ledger.misses == misses)
            #expect(await ledger.repetitions == 0)
        }
    }

    @Test("A payment takes 4 batches of 24 statements, the looks before and after included")
    func statements() async throws {
        try await TestDatabase.temporary { database in
            let ledger = try await database.open()
            let till = LedgerTill(ledger)
            try await till.complete(.issue(), id: 1)
            // A connection keeps its plans once it has proved to be a long one.
            for id in 2..<10 { try await till.complete(.pay(.cents(1)), id: id) }
            let (trips, statements) = (await ledger.roundTrips, await ledger.statements)
            let misses = await ledger.misses
            let (action, id) = (CardAction.pay(.cents(3)), OperationID.numbered(99))
            let found = try await ledger.earlierOutcome(of: action, id, besides: .first)
            let begun = try await ledger.begin(
                Request(id: id, uid: .first, action: action, at: .tick(1)),
                version: CardVersion(try #require(found.card)), sealer: .hashing(key: 1))
            guard case .begun(let open) = begun else {
                Issue.record("\(begun)")
                return
            }
            try await till.confirm(open)
            _ = try await ledger.knownCard(of: .first)
            #expect(await ledger.roundTrips - trips == 4)
            #expect(await ledger.statements - statements == 24)
            #expect(await ledger.misses == misses)
        }
    }

    /// A body without a footprint first runs on kept rows, and must not send anything then.
    @Test("A till can be added first on a connection, although there are keys that were not read")
    func tillFirst() async throws {
        try await TestDatabase.temporary { database in
            try database.change("INSERT INTO key_mark (id, mark, is_first) VALUES (3, 'x', TRUE)")
            let ledger = try await database.open()
            let outcome = try await ledger.addTill(
                TillName("Bar"), isTrusted: false,
                code: EnrolledTill.Code(
                    hash: [UInt8](repeating: 1, count: 32), expires: .tick(2)), at: .tick(1))
            guard case .done = outcome else {
                Issue.record("\(outcome)")
                return
            }
        }
    }

    /// The rows that a station caches may be old, but its answer never is.
    @Test("A request from before another station's payment is answered as changed")
    func areMoreWhereAnotherStationWasThere() async throws {
        try await TestDatabase.temporary { database in
            let (here, there) = (try await database.open(), try await database.open(station: 1))
            let till = LedgerTill(here)
            try await till.complete(.issue(1000), id: 1)
            for round in 0..<3 {
                let id = 10 * round + 2
                let known = try await till.knownCard()
                try await LedgerTill(there).complete(.pay(.cents(100)), id: id)
                let stale = Request(
                    id: .numbered(id + 1), uid: .first, action: .pay(.cents(1)), at: .tick(1))
                let answer = try await here.begin(
                    stale, version: CardVersion(known), sealer: .hashing(key: 1))
                #expect(answer == .changed)
                try await till.complete(.pay(.cents(100)), id: id + 2)
            }
            #expect(try await till.balance() == 400)
            #expect(await here.repetitions > 0)
            #expect(try await here.audit().violations == [])
        }
    }
}
