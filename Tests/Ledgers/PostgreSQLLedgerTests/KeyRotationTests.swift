import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// All stations of a ledger change from one key to the next together.
@Suite("Changing the stations' key in PostgreSQL", .serialized) struct KeyRotationTests {
    private static let marks: [UInt8: String] = [1: "first", 2: "second", 3: "third"]

    private static func keys(_ ids: Set<UInt8>, sealing: UInt8 = 1) -> StationKeys {
        StationKeys(
            marks: marks.filter { ids.contains($0.key) }, usable: ids, sealing: sealing)
    }

    /// An issuer with two stations that have key 1, each with its own login.
    private static func issuer(
        _ body: (TestDatabase, [(name: StationName, ledger: PostgreSQLLedger)]) async throws -> Void
    ) async throws {
        try await TestDatabase.temporary { database in
            let server = try PrivatePostgreSQL.shared.get()
            var stations: [(name: StationName, ledger: PostgreSQLLedger)] = []
            for number in 1...2 {
                let name = try #require(StationName("\(database.name)_\(number)"))
                _ = try await database.owned.register(name, password: "secret")
                let ledger = try await PostgreSQLLedger.open(
                    server.address(of: database.name, as: name.text, password: "secret"),
                    as: nil)
                #expect(try await ledger.otherKeys(than: keys([1])) == [])
                stations.append((name, ledger))
            }
            try await body(database, stations)
        }
    }

    private static func error(_ body: () async throws -> Void) async -> LedgerError? {
        await #expect(throws: LedgerError.self) { try await body() }
    }

    private static func lacking(
        _ key: UInt8, _ database: TestDatabase
    ) async throws -> [String] {
        try await database.owned.status().keys.lacking(key).map(\.name)
    }

    /// The owner retires it at the moment another owner lets it seal.
    @Test("The key that seals cannot be retired, even in a race")
    func keepTheKeyThatSeals() async throws {
        try await Self.issuer { database, stations in
            try await database.owned.announce(2, mark: "second")
            try await database.owned.seal(with: 2, mark: "second", isForced: true)
            let owner = try await database.open()
            let refused = await Self.error { try await owner.retire([2], at: .end) }
            #expect(refused?.kind == .refused)
            let raced = await Self.error {
                try await owner.write { rows throws(LedgerError) in
                    try rows.insert(RetiredKey(id: 2, retiredAt: .end))
                }
            }
            #expect(raced != nil)
            #expect(try await owner.retiredKeys() == [])
            try await owner.retire([1], at: .end)
        }
    }

    @Test("All stations seal with a new key once every station has it")
    func sealTogetherOnceAllHaveTheKey() async throws {
        try await Self.issuer { database, stations in
            let (here, there) = (LedgerTill(stations[0].ledger), LedgerTill(stations[1].ledger))
            let owned = database.owned
            #expect(try await owned.status().keys.sealing == 1)
            try await here.complete(.issue(1000), id: 1)
            try await owned.announce(2, mark: "second")
            let announced = try await owned.status().keys
            #expect(announced.sealing == 1 && announced.next == 2 && announced.announcedAt != nil)
            #expect(announced.lacking(2).map(\.name) == stations.map(\.name.text))
            try await here.complete(.pay(.cents(1)), id: 2)

            _ = try await stations[0].ledger.otherKeys(than: Self.keys([1, 2]))
            #expect(try await Self.lacking(2, database) == [stations[1].name.text])
            let early = await Self.error {
                try await owned.seal(with: 2, mark: "second", isForced: false)
            }
            #expect(early?.kind == .refused)
            #expect(try await owned.status().keys.sealing == 1)

            _ = try await stations[1].ledger.otherKeys(than: Self.keys([1, 2]))
            try await owned.seal(with: 2, mark: "second", isForced: false)
            let sealed = try await owned.status().keys
            #expect(sealed.sealing == 2 && sealed.next == nil && sealed.lacking(2) == [])
            for till in [here, there] {
                #expect(try await till.begin(.pay(.cents(1)), id: 3) == .changed)
                #expect(try await till.knownCard().keyPolicy == KeyPolicy(retired: [], sealing: 2))
            }
            try await there.with(key: 2).complete(.pay(.cents(1)), id: 3)
            #expect(try await here.with(key: 2).balance() == 998)
            #expect(try await stations[0].ledger.audit().violations == [])
        }
    }

    /// The station judged by what it knew, but nothing new is sealed with the earlier key.
    @Test("A key change lets an open payment end, and a new one needs the new key")
    func changeWhileAStationSells() async throws {
        try await Self.issuer { database, stations in
            let till = LedgerTill(stations[0].ledger)
            try await till.complete(.issue(1000), id: 1)
            let open = try await till.open(.pay(.cents(100)), id: 2)
            try await database.owned.announce(2, mark: "second")
            try await database.owned.seal(with: 2, mark: "second", isForced: true)
            // What is on its way onto a card is still good: its key is not retired.
            try await till.confirm(open)
            #expect(try await till.balance() == 900)
            let known = try await till.knownCard()
            try await database.owned.announce(3, mark: "third")
            try await database.owned.seal(with: 3, mark: "third", isForced: true)
            let late = Request(
                id: .numbered(3), uid: .first, action: .pay(.cents(1)), at: .tick(1))
            let answer = try await stations[0].ledger.begin(
                late, version: CardVersion(known), sealer: .hashing(key: 2))
            #expect(answer == .changed)
            let keys = try database.answer(
                to: "SELECT string_agg(key_id::text, ' ' ORDER BY sequence) FROM issued_record")
            #expect(keys == "1 1")
        }
    }

    @Test("A record under a key that does not seal is refused, whatever the station has read")
    func areProvedByTheRecord() async throws {
        try await Self.issuer { database, stations in
            let ledger = stations[0].ledger
            try await LedgerTill(ledger).complete(.issue(1000), id: 1)
            try await database.owned.announce(2, mark: "second")
            try await database.owned.seal(with: 2, mark: "second", isForced: true)
            let number = try #require(SequenceNumber(9))
            let error = await Self.error {
                try await ledger.write { rows throws(LedgerError) in
                    try rows.insert(
                        IssuedRecord(
                            uid: .first, sequence: number, bytes: Array(repeating: 1, count: 16),
                            operation: .numbered(1), keyID: 1))
                }
            }
            #expect(error?.kind == .corrupt)
        }
    }

    @Test("A station whose key file was restored counts as lacking the new key")
    func areToldAgainWhereAFileWasPutBack() async throws {
        try await Self.issuer { database, stations in
            try await database.owned.announce(2, mark: "second")
            for station in stations {
                _ = try await station.ledger.otherKeys(than: Self.keys([1, 2]))
            }
            #expect(try await Self.lacking(2, database) == [])
            // A key file from a backup, and the same once more.
            for _ in 0..<2 { _ = try await stations[1].ledger.otherKeys(than: Self.keys([1])) }
            #expect(try await Self.lacking(2, database) == [stations[1].name.text])
            let refused = await Self.error {
                try await database.owned.seal(with: 2, mark: "second", isForced: false)
            }
            #expect(refused?.kind == .refused)
        }
    }

    @Test("A key change does not wait for a revoked station")
    func doNotWaitForAStationThatWasRevoked() async throws {
        try await Self.issuer { database, stations in
            try await database.owned.announce(2, mark: "second")
            _ = try await stations[0].ledger.otherKeys(than: Self.keys([1, 2]))
            try await database.owned.revoke(stations[1].name)
            try await database.owned.seal(with: 2, mark: "second", isForced: false)
            #expect(try await database.owned.status().keys.sealing == 2)
        }
    }

    @Test("A key change waits for a station that was registered in the meantime")
    func waitForAStationThatIsNew() async throws {
        try await Self.issuer { database, stations in
            try await database.owned.announce(2, mark: "second")
            for station in stations {
                _ = try await station.ledger.otherKeys(than: Self.keys([1, 2]))
            }
            let name = try #require(StationName("\(database.name)_3"))
            _ = try await database.owned.register(name, password: "secret")
            let refused = await Self.error {
                try await database.owned.seal(with: 2, mark: "second", isForced: false)
            }
            #expect(refused?.kind == .refused)
            #expect(try await Self.lacking(2, database) == [name.text])
        }
    }

    @Test("Only one key change runs at a time, and the number of a retired key stays used")
    func areChangedOnceAtATime() async throws {
        try await Self.issuer { database, _ in
            try await database.owned.announce(2, mark: "second")
            let second = await Self.error { try await database.owned.announce(3, mark: "third") }
            #expect(second?.kind == .refused)
            let other = await Self.error { try await database.owned.announce(2, mark: "other") }
            #expect(other?.kind == .refused)
            let wrong = await Self.error {
                try await database.owned.seal(with: 2, mark: "other", isForced: true)
            }
            #expect(wrong?.kind == .refused)
            // One that is given up makes room for the next, and its number is gone.
            try await database.open().retire([2], at: .tick(1))
            #expect(try await database.owned.status().keys.next == nil)
            let retired = await Self.error { try await database.owned.announce(2, mark: "second") }
            #expect(retired?.kind == .refused)
            try await database.owned.announce(3, mark: "third")
            #expect(try await database.owned.status().keys.next == 3)
        }
    }

    @Test("A key with a different mark does not count as the issuer's key")
    func areAnotherStationsWhereTheMarkDiffers() async throws {
        try await Self.issuer { database, stations in
            let strange = StationKeys(
                marks: [1: "strange", 3: "third"], usable: [1, 3], sealing: 1)
            for _ in 0..<2 {
                let others = try await stations[1].ledger.otherKeys(than: strange)
                #expect(others == [1])
            }
            // It is not taken for a station that has the key of the others.
            #expect(try await Self.lacking(1, database) == [stations[1].name.text])
        }
    }

    @Test("The first station names the key that seals, and a later one follows it")
    func beginWithTheFirstStation() async throws {
        try await TestDatabase.temporary { database in
            let ledger = try await database.open()
            #expect(try await ledger.keyPolicy() == KeyPolicy(retired: []))
            #expect(try await ledger.otherKeys(than: Self.keys([1, 2], sealing: 2)) == [])
            #expect(try await ledger.keyPolicy() == KeyPolicy(retired: [], sealing: 2))
            let later = try await database.open()
            #expect(try await later.otherKeys(than: Self.keys([1])) == [])
            #expect(try await later.keyPolicy().sealing == 2)
        }
    }

    /// It costs one round trip at the first card and none after that.
    @Test("A station tells its keys once per connection")
    func areToldOnceAConnection() async throws {
        try await Self.issuer { _, stations in
            let ledger = stations[0].ledger
            _ = try await ledger.otherKeys(than: Self.keys([1]))
            let before = await ledger.roundTrips
            _ = try await ledger.otherKeys(than: Self.keys([1]))
            #expect(await ledger.roundTrips == before)
        }
    }

    @Test(
        "A station is denied changes to the ledger's keys",
        arguments: [
            "UPDATE key_mark SET turn = 9", "UPDATE key_mark SET mark = 'x'",
            "DELETE FROM key_mark", "INSERT INTO key_mark (id, mark, turn) VALUES (9, 'x', 9)",
            "INSERT INTO key_mark (id, mark, announced_at) VALUES (9, 'x', 9)",
        ])
    func areNotForAStationToChange(_ statement: String) async throws {
        try await Self.issuer { database, stations in
            let words = #expect(throws: PrivatePostgreSQL.Failure.self) {
                try PrivatePostgreSQL.shared.get().answer(
                    to: statement, in: database.name, as: stations[0].name.text,
                    password: "secret")
            }
            #expect(words?.description.contains("permission denied") == true)
        }
    }
}
