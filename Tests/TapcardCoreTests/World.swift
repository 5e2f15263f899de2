import CardCryptography
import Ledger
import SimulatedReader
import TagReading
import TapcardCore
import TapcardDomain
import Testing
import Type2Tag

/// A counter with a simulated reader and a ledger in memory, its own clock and its own chance.
struct World: Sendable {
    let reader: SimulatedReader
    let ledger: any LedgerStore
    let clock: TestClock
    let keys: KeyRing
    let station: Station

    static let uids: [String: [UInt8]] = [
        "NTAG213": [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80],
        "NTAG215": [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66],
        "NTAG216": [0x04, 0xD9, 0x65, 0x0A, 0x32, 0x5E, 0x80],
    ]

    /// One blank tag of the chip on the reader.
    static func blank(_ chip: Type2Chip = .ntag213) throws -> Simulation {
        let uid = try #require(uids[chip.name])
        let tag = try #require(TagMemory.blank(chip, uid: uid))
        var simulation = Simulation([tag])
        simulation.put([uid])
        return simulation
    }

    init(
        _ simulation: Simulation, ledger: any LedgerStore = InMemoryLedger(),
        keys: KeyRing = World.keys, clock: TestClock = TestClock(),
        wrapping: ((SimulatedReader) -> any TagReader)? = nil
    ) {
        let reader = SimulatedReader(simulation)
        self.reader = reader
        self.ledger = ledger
        self.clock = clock
        self.keys = keys
        station = Station(
            reader: wrapping?(reader) ?? reader, ledger: ledger, keys: keys,
            surroundings: clock.surroundings)
    }

    /// The same keys in every test: seals can be compared.
    static let keys: KeyRing = KeyRing.fresh(created: "2026-01-01") { count in
        [UInt8](repeating: 0x5A, count: count)
    }

    static func usd(_ minorUnits: Int64) -> Money { Money(minorUnits: minorUnits, .usd) }

    static func id(_ number: UInt64) -> OperationID {
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: number >> (($0 % 8) * 8)) }
        guard let id = OperationID(bytes: bytes) else { preconditionFailure("16 bytes are an id") }
        return id
    }

    func uid() async throws -> CardUID {
        let bytes = try await reader.change { $0.tags[0].uid }
        return try #require(CardUID(bytes: bytes))
    }

    /// Puts the first tag back onto the reader, with nothing armed.
    func putBack() async throws {
        try await reader.change { world in
            world.fault = nil
            world.put([world.tags[0].uid])
        }
    }

    func arm(_ fault: Fault) async throws {
        try await reader.change { $0.fault = fault }
    }

    /// A card with this much on it.
    func issue(_ minorUnits: Int64 = 1_000, name: String = "Amanda Gonzalez") async throws {
        let order = CardOrder(
            .issue(
                Holder(id: try HolderID(1), name: try HolderName(name)), World.usd(minorUnits),
                hasScratchCard: true))
        _ = try await station.make(order, id: World.id(1))
    }
}

/// A clock that stands still until it is told otherwise, and a repeatable source of chance.
final class TestClock: Sendable {
    private let state = Locked((now: Int64(1_700_000_000_000), seed: UInt64(1)))

    func advance(milliseconds: Int64) { state.change { $0.now += milliseconds } }

    var surroundings: Station.Surroundings {
        Station.Surroundings(
            now: { Timestamp(milliseconds: self.state.change { $0.now }) },
            sleep: { duration in
                try Task.checkCancellation()
                self.advance(milliseconds: duration.components.seconds * 1_000)
            },
            random: { count in
                self.state.change { state in
                    (0..<count).map { _ in
                        state.seed = state.seed &* 6_364_136_223_846_793_005 &+ 1
                        return UInt8(truncatingIfNeeded: state.seed >> 33)
                    }
                }
            })
    }
}
