import BlockingLane
import CardCryptography
import Cards
import FaultyWorld
import Ledger
import PortDoubles
import TapcardCore
import TapcardDomain
import Testing

/// The ledger of several stations decides which key all of them seal with.
@Suite("The key that stations share")
struct SharedKeyTests {
    /// A key ring that has key 2 but still seals with key 1.
    private static let prepared: KeyRing = {
        do {
            return try World.keys.preparing(created: "2026-02-01", avoiding: []) { count in
                [UInt8](repeating: 0x33, count: count)
            }
        } catch {
            preconditionFailure("a ring of one key has room for another")
        }
    }()

    @Test("A shared key seals as soon as the ledger says so, whatever the station's key file says")
    func seals() async throws {
        let world = try await World.withCard()
        let station = world.station(keys: SharedKeyTests.prepared)
        _ = try await station.pay(World.usd(100), id: World.id(2))
        #expect(try await SharedKeyTests.keys(on: world) == [1, 1])
        world.rows.seal(with: 2)
        _ = try await station.pay(World.usd(100), id: World.id(3))
        #expect(try await SharedKeyTests.keys(on: world).contains(2))
        #expect(try await world.balance() == 800)
    }

    @Test("A station that lacks the shared key takes no payment but can still read cards")
    func isLacking() async throws {
        let world = try await World.withCard()
        world.rows.seal(with: 2)
        let (before, tables) = (try await world.tag(), world.tables)
        let error = await #expect(throws: TapcardError.self) {
            try await world.station.pay(World.usd(100), id: World.id(2))
        }
        #expect(error?.kind == .keysBehind && error?.result.exitStatus == 9)
        #expect(error?.next == [.file(.importCurrentKeys)])
        #expect(try await world.tag() == before && world.tables == tables)
        // It can read what it has the key of, and what the ledger has issued.
        #expect(try await world.station.read().balance == World.usd(1_000))
        let other = world.station(keys: SharedKeyTests.prepared)
        for id in 3...4 as ClosedRange<UInt64> {
            _ = try await other.pay(World.usd(100), id: World.id(id))
        }
        let (others, rows) = (try await world.tag(), world.tables)
        let summary = try await world.station.read()
        #expect(summary.problem == nil && summary.balance == World.usd(800))
        #expect(try await world.tag() == others && world.tables == rows)
    }

    @Test("A station that lacks the shared key and has a retired one takes no payment")
    func isLackingAndTheOtherRetired() async throws {
        let world = try await World.withCard()
        world.rows.seal(with: 2)
        try await world.ledger.retire([1], at: world.now)
        await expectRefused(.keysBehind, exit: 9) { () throws(TapcardError) in
            try await world.station.pay(World.usd(100), id: World.id(2))
        }
    }

    /// All stations change to the new key before each step of the station's tap.
    @Test(
        "A change of the shared key in the middle of a payment makes no card look forged",
        arguments: [true, false])
    func changesBetweenSteps(_ hasKey: Bool) async throws {
        var changed = 0
        for step in 1... {
            let world = try await World.withCard()
            let interlude = Disturbance(before: step) { world.rows.seal(with: 2) }
            let keys = hasKey ? SharedKeyTests.prepared : World.keys
            let station = world.station(
                reader: interlude.reader(world.reader), ledger: interlude.ledger(world.ledger),
                keys: keys)
            let said = await outcome { () throws(TapcardError) in
                try await station.pay(World.usd(250), id: World.id(2))
            }
            guard interlude.hasCome else { break }
            changed += 1
            let other = world.station(keys: SharedKeyTests.prepared)
            try await world.putBack()
            let summary = try await other.read()
            #expect(summary.problem == nil, "step \(step)")
            let isPaid = try await world.ledger.operation(World.id(2))?.state == .committed
            #expect(said.isSuccess == isPaid, "step \(step): \(said)")
            if hasKey { #expect(isPaid, "step \(step): \(said)") }
            #expect(summary.balance == World.usd(isPaid ? 750 : 1_000), "step \(step)")
            #expect(try await world.ledger.audit().violations == [], "step \(step)")
        }
        #expect(changed > 4)
    }

    private static func keys(on world: World) async throws -> [UInt8] {
        try await world.tag().image.records.compactMap(SealedRecord.init).map(\.keyID)
    }
}
