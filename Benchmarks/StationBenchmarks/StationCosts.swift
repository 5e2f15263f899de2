import BlockingLane
import Foundation
import Glibc
import Ledger
import PostgreSQLLedger
import StationsInC
import TapcardDomain
import TestSupport

/// Payments at many stations of one ledger in PostgreSQL, next to a client in C that sends the same
/// statements by way of libpq and does nothing else. Each station has a card of its own.
struct StationCosts {
    struct Round {
        let stations: Int
        let swift: Pace
        let c: Pace

        var ratio: Double { swift.paymentsASecond / c.paymentsASecond }
    }

    /// The payments of all stations together, from the times of each station's.
    struct Pace {
        let paymentsASecond: Double
        let median: Double
        let slowest: Double
        /// The client's processor time for a payment, in milliseconds.
        let processor: Double

        init(_ stations: [[Double]], processor: Double) {
            paymentsASecond = stations.map { Double($0.count) * 1_000 / $0.reduce(0, +) }
                .reduce(0, +)
            let sorted = stations.joined().sorted()
            (median, slowest) = (sorted[sorted.count / 2], sorted[sorted.count * 99 / 100])
            self.processor = processor * 1_000 / Double(sorted.count + stations.count * warmUp)
        }
    }

    struct Failure: Error { let what: String }

    private static let tripsAPayment = 4
    /// The first payments of a connection are not counted: the server plans their statements, and
    /// keeps the plans from then on.
    private static let warmUp = 16
    private let server: PrivatePostgreSQL
    /// The payments of one station, and those of all together.
    private let most: (each: Int, together: Int)

    /// On one server, which syncs to its disk.
    static func measure() async throws -> [Round] { try await onOneServer().measure(rounds: 3) }

    /// One round of that.
    static func round(of stations: Int) async throws -> Round {
        try await onOneServer().round(of: stations, in: "issuer")
    }

    private static func onOneServer() throws -> StationCosts {
        StationCosts(
            server: try PrivatePostgreSQL(syncs: true), most: (each: 1_600, together: 3_200))
    }

    /// With a synchronous replica from which an answer takes so many milliseconds.
    static func measure(replicaAwayBy milliseconds: Double) async throws -> [Round] {
        let server = try PrivatePostgreSQL(syncs: true)
        let folder = try emptyFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        unsafe chmod(folder, 0o755)
        let link = "\(folder)/.s.PGSQL.5432"
        guard unsafe tapcard_delay(link, server.socket, milliseconds / 2) == 0 else {
            throw Failure(what: "no link")
        }
        unsafe chmod(link, 0o777)
        let replica = try PrivatePostgreSQL(copying: server, by: folder, syncs: true)
        defer { replica.kill() }
        try server.waitForReplica()
        let costs = StationCosts(server: server, most: (each: 200, together: 3_200))
        return try await costs.measure(rounds: 1)
    }

    private func measure(rounds: Int) async throws -> [Round] {
        var measured: [Round] = []
        for stations in [1, 8, 64] {
            for number in 0..<rounds {
                measured.append(try await round(of: stations, in: "issuer_\(stations)_\(number)"))
            }
        }
        return measured
    }

    private static func emptyFolder() throws -> String {
        var template = Array("/tmp/tapcard-stations-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw Failure(what: "no folder") }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Payments at one station of a ledger that is there, with the first card of these benchmarks.
    static func pay(_ count: Int, in address: String) async throws -> Pace {
        let ledger = try await PostgreSQLLedger.open(address, as: 0)
        let uid = try card(0)
        if try await ledger.knownCard(of: uid) == nil { try await ledger.openCard(uid) }
        let before = processorSeconds()
        let times = try await pay(count + warmUp, at: 0, in: ledger)
        return Pace([times], processor: processorSeconds() - before)
    }

    private func round(of stations: Int, in issuer: String) async throws -> Round {
        let each = min(most.each, most.together / stations) + StationCosts.warmUp
        try await makeIssuer(issuer, for: stations)
        let copy = issuer + "_copy"
        let taped = try await inCopy(copy, of: issuer) {
            try await record(each, at: stations, of: $0)
        }
        defer { for tape in taped { unsafe tapcard_tape_free(tape.start) } }
        let c = try await inCopy(copy, of: issuer) {
            try replay(taped, each, server.address(of: $0))
        }
        let swift = try await inCopy(copy, of: issuer) { database in
            let address = server.address(of: database)
            let before = StationCosts.processorSeconds()
            let times = try await pay(each, at: [String](repeating: address, count: stations))
            return Pace(times, processor: StationCosts.processorSeconds() - before)
        }
        try server.remove(issuer)
        return Round(stations: stations, swift: swift, c: c)
    }

    /// The bytes on a tape name the database, so that each copy has the same name.
    private func inCopy<Success>(
        _ name: String, of issuer: String, _ body: (String) async throws -> Success
    ) async throws -> Success {
        _ = try server.database(name, copying: issuer)
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        try await PostgreSQLDatabase(server.address(of: name), now: { now }).reopen(.nothing)
        let success = try await body(name)
        try server.remove(name)
        return success
    }

    private func makeIssuer(_ name: String, for stations: Int) async throws {
        let address = try server.database(name)
        try await PostgreSQLDatabase(address, now: { .init(milliseconds: 1_700_000_000_000) })
            .makeLedger(in: .usd)
        let ledger = try await PostgreSQLLedger.open(address, as: 0)
        for station in 0..<stations {
            let uid = try StationCosts.card(station)
            try await ledger.openCard(uid)
        }
        await ledger.close()
    }

    private static func card(_ station: Int) throws -> CardUID {
        try StationCosts.required(
            CardUID(bytes: [4, 0, 0, 0, 0, UInt8(station / 256), UInt8(station % 256)]))
    }

    static func text(_ number: Double, _ decimals: Int, width: Int) -> String {
        let text = String(format: "%.\(decimals)f", number)
        return String(repeating: " ", count: max(width - text.count, 0)) + text
    }

    fileprivate static func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Failure(what: "something is missing") }
        return value
    }

    private func pay(_ each: Int, at addresses: [String]) async throws -> [[Double]] {
        var ledgers: [PostgreSQLLedger] = []
        for (station, address) in addresses.enumerated() {
            ledgers.append(try await PostgreSQLLedger.open(address, as: station))
        }
        let times = try await withThrowingTaskGroup(of: [Double].self) { group in
            for (station, ledger) in ledgers.enumerated() {
                group.addTask { try await StationCosts.pay(each, at: station, in: ledger) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for ledger in ledgers { await ledger.close() }
        return times
    }

    /// A payment is what a tap asks of the ledger: two looks, the beginning, the end.
    private static func pay(
        _ each: Int, at station: Int, in ledger: PostgreSQLLedger
    ) async throws -> [Double] {
        let uid = try card(station)
        var times: [Double] = []
        for _ in 0..<each {
            let start = ContinuousClock.now
            _ = try await ledger.knownCard(of: uid, holding: [])
            let version = try await ledger.knownCard(of: uid, holding: []).map(CardVersion.init)
            try await ledger.carryOut(.pay(Money(minorUnits: 1, .usd)), on: uid, version: version)
            times.append(start.duration(to: .now) / .milliseconds(1))
        }
        return Array(times.dropFirst(warmUp))
    }

    // The tape is only read once it is recorded.
    @safe private struct Tape: @unchecked Sendable {
        let start: OpaquePointer
    }

    private func record(
        _ each: Int, at stations: Int, of database: String
    ) async throws -> [Tape] {
        let folder = try StationCosts.emptyFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var tapes: [Tape] = []
        var addresses: [String] = []
        for station in 0..<stations {
            let place = "\(folder)/\(station)"
            unsafe mkdir(place, 0o700)
            guard let tape = unsafe tapcard_tape_record("\(place)/.s.PGSQL.5432", server.socket)
            else { throw Failure(what: "no socket") }
            unsafe tapes.append(Tape(start: tape))
            addresses.append("postgresql:///\(database)?host=\(place)&user=tapcard")
        }
        _ = try await pay(each, at: addresses)
        for tape in tapes { unsafe tapcard_tape_end(tape.start) }
        return tapes
    }

    /// All stations at once, each on a thread of its own.
    private func replay(_ tapes: [Tape], _ each: Int, _ address: String) throws -> Pace {
        let before = StationCosts.processorSeconds()
        let results = Guarded<[[Double]]>([])
        let group = DispatchGroup()
        for tape in tapes {
            group.enter()
            Thread.detachNewThread {
                let batches = Int(unsafe tapcard_tape_batches(tape.start))
                var times = [Double](repeating: 0, count: batches)
                let failures = unsafe tapcard_tape_replay(tape.start, address, &times)
                let trips = StationCosts.tripsAPayment
                // The first batches open the connection.
                let counted = each - StationCosts.warmUp
                let taps = times.suffix(counted * trips)
                let payments = (0..<counted).map { number in
                    taps.dropFirst(number * trips).prefix(trips).reduce(0, +)
                }
                if failures == 0, batches > each * trips {
                    results.withLock { $0.append(payments) }
                }
                group.leave()
            }
        }
        group.wait()
        let payments = results.withLock { $0 }
        guard payments.count == tapes.count else { throw Failure(what: "the server has refused") }
        return Pace(payments, processor: StationCosts.processorSeconds() - before)
    }

    private static func processorSeconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension LedgerStore {
    /// Makes a card that can pay for the whole benchmark.
    fileprivate func openCard(_ uid: CardUID) async throws {
        let plan = CardPlan(
            origin: .issue, chip: .ntag213, isGenuineChip: nil, holder: Holder(id: nil, name: nil),
            scratch: .none,
            face: .tapcard, balance: Money(minorUnits: 1_000_000, .usd), mayReissue: false,
            above: .none)
        try await carryOut(.make(plan), on: uid, version: nil)
    }

    fileprivate func carryOut(
        _ action: CardAction, on uid: CardUID, version: CardVersion?
    ) async throws {
        var numbers = SystemRandomNumberGenerator()
        let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        let request = Request(
            id: try StationCosts.required(OperationID(random: bytes)), uid: uid, action: action,
            at: now)
        let sealer = RecordSealer(
            keyID: 1,
            seal: { content in
                let number = content.sequence.value
                return uid.bytes.suffix(4) + [0x44]
                    + (0..<11).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }
            })
        guard case .begun(let open) = try await begin(request, version: version, sealer: sealer),
            case .committed = try await confirm(open, at: now)
        else { throw StationCosts.Failure(what: "the ledger did not do what was asked") }
    }
}
