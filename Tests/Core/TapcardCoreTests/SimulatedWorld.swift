import BlockingLane
import CardCryptography
import Cards
import FaultyWorld
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A till with a simulated reader, a ledger in memory, and its own clock and random numbers.
struct World: Sendable {
    let reader: SimulatedReader
    let rows: TableLedger
    let clock: TestClock
    let keys: KeyRing
    /// Has no ceilings unless some are given.
    let settings: Station.Settings
    /// The station that nothing disturbs.
    let station: Station

    static let uids: [String: [UInt8]] = [
        "NTAG213": [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80],
        "NTAG215": [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66],
        "NTAG216": [0x04, 0xD9, 0x65, 0x0A, 0x32, 0x5E, 0x80],
    ]
    /// The number of a second tag.
    static let otherUID: [UInt8] = [0x04, 0xDE, 0xAD, 0xBE, 0xEF, 0x00, 0x01]

    /// A reader with one blank tag of this chip.
    static func blank(_ chip: Type2Chip = .ntag213) throws -> Simulation {
        let uid = try #require(uids[chip.name])
        let tag = try #require(TagMemory.blank(chip, uid: uid))
        var simulation = Simulation([tag])
        simulation.put([uid])
        return simulation
    }

    init(
        _ simulation: Simulation, ledger: TableLedger = TableLedger(),
        keys: KeyRing = World.keys, clock: TestClock = TestClock(),
        ceilings: Ceilings? = .unlimited(in: .usd)
    ) {
        settings = Station.Settings(
            ceilings: ceilings, isConfirmed: ceilings == .unlimited(in: .usd))
        reader = SimulatedReader(simulation)
        rows = ledger
        self.clock = clock
        self.keys = keys
        station = Station(
            reader: reader, ledger: ledger, keys: keys, settings: settings,
            dependencies: clock.dependencies)
    }

    /// A world with a card of ten dollars on this chip.
    static func withCard(
        _ chip: Type2Chip = .ntag213, ceilings: Ceilings? = .unlimited(in: .usd)
    ) async throws -> World {
        let world = World(try blank(chip), ceilings: ceilings)
        try await world.issue()
        return world
    }

    /// Another station over the same tags, with its own reader, ledger, or keys.
    func station(
        reader: (any TagReader)? = nil, ledger: (any LedgerStore)? = nil, keys: KeyRing? = nil
    ) -> Station {
        Station(
            reader: reader ?? self.reader, ledger: ledger ?? self.ledger, keys: keys ?? self.keys,
            settings: settings, dependencies: clock.dependencies)
    }

    /// Another station over the same tags, whose keys may change while it works.
    func station(
        reader: (any TagReader)? = nil, ledger: (any LedgerStore)? = nil,
        keySource: KeyRingSource
    ) -> Station {
        Station(
            reader: reader ?? self.reader, ledger: ledger ?? self.ledger, keySource: keySource,
            settings: settings, dependencies: clock.dependencies)
    }

    /// The keys, which are equal in every test so that seals can be compared.
    static let keys = Scene.keys

    static func usd(_ minorUnits: Int64) -> Money { Money(minorUnits: minorUnits, .usd) }

    static func id(_ number: UInt64) -> OperationID {
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: number >> (($0 % 8) * 8)) }
        guard let id = OperationID(bytes: bytes) else { preconditionFailure("16 bytes are an id") }
        return id
    }

    static func holder(_ name: String) throws(Refusal) -> Holder {
        Holder(id: try HolderID(1), name: try HolderName(name))
    }

    var ledger: any LedgerStore { rows }
    var tables: LedgerTables { rows.tables }

    /// The time on the station's clock.
    var now: Timestamp { station.dependencies.now() }

    func arm(_ fault: Fault) async throws {
        try await reader.change { $0.fault = fault }
    }

    /// Whether a fault is still to come.
    func isArmed() async throws -> Bool {
        try await reader.change { $0.fault != nil }
    }

    /// Issues a card with this balance.
    func issue(
        _ minorUnits: Int64 = 1_000, name: String = "Amanda Gonzalez",
        face: FaceStyle = .tapcard, mayReissue: Bool = false, protects: Bool = false,
        id: UInt64 = 1
    ) async throws {
        let request = CardRequest(
            .issue(try World.holder(name), World.usd(minorUnits), hasScratchCard: true),
            face: face, mayReissue: mayReissue, protects: protects)
        _ = try await station.make(request, id: World.id(id))
    }
}

extension World {
    /// Makes an operator's change to a card, which need not be on the reader.
    @discardableResult
    func change(_ uid: CardUID, _ change: StatusChange) async throws(TapcardError) -> LedgerCard {
        try await Station.change(uid, change, in: ledger, dependencies: station.dependencies)
    }
}

/// A clock that moves only when a test or a wait moves it, with repeatable random numbers.
final class TestClock: Sendable {
    private let state = Guarded(
        (now: Int64(1_700_000_000_000), uptime: Int64(1_000_000), boot: 1, seed: UInt64(1)))

    func advance(seconds: Int64) {
        state.withLock { state in
            state.now += seconds * 1_000
            state.uptime += seconds * 1_000
        }
    }

    /// Restarts the machine.
    func restart() { state.withLock { $0.boot += 1 } }

    /// Sets the time of day, while no time passes.
    func set(aheadBy seconds: Int64) { state.withLock { $0.now += seconds * 1_000 } }

    var dependencies: Station.Dependencies {
        Station.Dependencies(
            now: { Timestamp(milliseconds: self.state.withLock { $0.now }) },
            uptime: {
                self.state.withLock { Uptime(boot: "\($0.boot)", milliseconds: $0.uptime) }
            },
            sleep: { duration in
                try Task.checkCancellation()
                self.advance(seconds: duration.components.seconds)
            },
            random: { count in
                self.state.withLock { state in
                    (0..<count).map { _ in
                        state.seed = state.seed &* 6_364_136_223_846_793_005 &+ 1
                        return UInt8(truncatingIfNeeded: state.seed >> 33)
                    }
                }
            })
    }
}
