import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// Several stations at once, with one connection each.
@Suite("Several stations on one PostgreSQL ledger", .serialized) struct ManyStationsTests {
    @Test("The takings are the sum of the payments that stations were told of")
    func sellAtOnce() async throws {
        try await TestDatabase.temporary { database in
            let stations = try await ManyStationsTests.stations(8, of: database)
            for number in 1...4 {
                try await LedgerTill(stations[0]).complete(
                    .issue(5000), id: number, on: .numbered(UInt8(number)))
            }
            let sums = try await withThrowingTaskGroup(of: Int64.self) { group in
                for (station, ledger) in stations.enumerated() {
                    group.addTask { try await ManyStationsTests.sell(at: station, on: ledger) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let till = LedgerTill(stations[0])
            #expect(try await till.balance(of: .takings) == sums.reduce(0, +))
            var left: Int64 = 0
            for number in 1...4 { left += try await till.balance(.numbered(UInt8(number))) }
            #expect(left == 4 * 5000 - sums.reduce(0, +) && left < 4 * 5000)
            #expect(try await stations[0].audit().violations == [])
        }
    }

    /// Sells on each of the cards and returns the amount that was sold.
    private static func sell(at station: Int, on ledger: PostgreSQLLedger) async throws -> Int64 {
        var sold: Int64 = 0
        let till = LedgerTill(ledger)
        for number in 0..<(Thoroughness.asked > .usual ? 40 : 12) {
            let uid = CardUID.numbered(UInt8(1 + (number + station) % 4))
            let beginning = try await till.begin(
                .pay(.cents(7)), id: 1000 * (station + 1) + number, on: uid)
            // Another station's payment was open, or it was quicker.
            guard case .begun(let open) = beginning else {
                #expect(beginning == .changed)
                continue
            }
            if case .committed = try await ledger.confirm(open, at: .end) { sold += 7 }
        }
        return sold
    }

    @Test("A request that reaches the ledger through two stations is done once")
    func areAskedTheSame() async throws {
        try await TestDatabase.temporary { database in
            let stations = try await ManyStationsTests.stations(2, of: database)
            try await LedgerTill(stations[0]).complete(.issue(), id: 1)
            let rounds = 2..<(Thoroughness.asked > .usual ? 30 : 12)
            for round in rounds {
                let answers = try await ManyStationsTests.concurrently(stations) { ledger in
                    try await LedgerTill(ledger).begin(.add(.cents(5)), id: round)
                }
                let begun = answers.compactMap { answer -> OpenOperation? in
                    if case .begun(let open) = answer { open } else { nil }
                }
                #expect(begun.count == 1, "\(answers)")
                for open in begun { try await LedgerTill(stations[1]).confirm(open) }
            }
            #expect(try await LedgerTill(stations[0]).balance() == 1000 + Int64(rounds.count) * 5)
        }
    }

    private static func stations(
        _ count: Int, of database: TestDatabase
    ) async throws -> [PostgreSQLLedger] {
        var stations: [PostgreSQLLedger] = []
        for number in 1...count { stations.append(try await database.open(station: number)) }
        return stations
    }

    private static func concurrently(
        _ stations: [PostgreSQLLedger],
        _ body: @escaping @Sendable (PostgreSQLLedger) async throws -> BeginOutcome
    ) async throws -> [BeginOutcome] {
        try await withThrowingTaskGroup(of: BeginOutcome.self) { group in
            for ledger in stations { group.addTask { try await body(ledger) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
