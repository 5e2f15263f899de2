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

/// A record is trusted only as far as the key that sealed it.
@Suite("Rotated and retired keys")
struct KeyTrustTests {
    static let rotated: KeyRing = {
        do {
            return try World.keys.rotated(created: "2026-02-01") { count in
                [UInt8](repeating: 0x33, count: count)
            }
        } catch {
            preconditionFailure("a ring of one key can be rotated")
        }
    }()

    @Test("A rotated key still verifies, and the card moves to the new one when it pays")
    func verifiesOnly() async throws {
        let world = try await World.withCard()
        let before = try await world.tag()
        let station = world.station(keys: KeyTrustTests.rotated)
        let summary = try await station.read()
        #expect(summary.seal == .valid && summary.display == .current)
        #expect(try await world.tag() == before)
        _ = try await station.pay(World.usd(250), id: World.id(2))
        #expect(try await bestKey(on: world, KeyTrustTests.rotated) == 2)
    }

    @Test("A payment left open under a rotated key continues under the new one")
    func resumesUnderTheNewKey() async throws {
        let world = try await World.withCard()
        try await world.arm(Fault(at: 2, counting: .write, .lost))
        _ = try? await world.station.pay(World.usd(250), id: World.id(2))
        try await world.putBack()
        let station = world.station(keys: KeyTrustTests.rotated)
        _ = try await station.pay(World.usd(250), id: World.id(2))
        #expect(try await bestKey(on: world, KeyTrustTests.rotated) == 2)
        #expect(try await world.balance() == 750)
        #expect(try await station.read().problem == nil)
    }

    @Test("A retired key is not trusted, even with a valid seal, until the card is repaired")
    func retired() async throws {
        let world = try await World.withCard()
        let before = try await world.tag()
        let station = world.station(keys: try KeyTrustTests.rotated.retiring(1))
        let summary = try await station.read()
        #expect(summary.seal == .forged && summary.problem?.kind == .forged)
        await expectRefused(.forged, exit: 7) { () throws(TapcardError) in
            try await station.pay(World.usd(250), id: World.id(2))
        }
        #expect(try await world.tag() == before)
        let repaired = try await station.repair(naming: try await world.uid())
        #expect(repaired.problem == nil && repaired.balance == World.usd(1_000))
    }

    @Test(
        "A foreign card sealed with a key that the station lacks is refused until overwritten",
        arguments: FaceStyle.allCases)
    func missing(_ face: FaceStyle) async throws {
        let elsewhere = World(try World.blank(), keys: KeyTrustTests.rotated)
        _ = try await elsewhere.station.make(
            CardRequest(
                .issue(.nobody, World.usd(1_000), hasScratchCard: false), face: face),
            id: World.id(1))
        let world = World(try World.blank())
        try await world.put(try await elsewhere.tag())
        let summary = try await world.station.read()
        #expect(summary.seal == .unsealed && summary.problem?.kind == .keyMissing)
        await expectRefused(.keyMissing, exit: 7) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(2))
        }
        for amount in [nil, World.usd(1_000)] {
            await expectRefused(.keyMissing, exit: 7) { () throws(TapcardError) in
                try await world.station.make(
                    CardRequest(.adopt(accepting: amount)), id: World.id(3))
            }
        }
        #expect(summary.problem?.next == [.file(.importKeysOrOverwrite)])
        let request = CardRequest(
            .issue(Holder(id: nil, name: nil), World.usd(0), hasScratchCard: false),
            mayOverwrite: true)
        #expect(try await world.station.make(request, id: World.id(4)).problem == nil)
    }

    @Test(
        "A key retired in the middle of a request moves the card to the new key",
        arguments: [TillRequest.pay, .add, .close])
    func retiredBetweenSteps(_ request: TillRequest) async throws {
        var retired = 0
        for step in 1... {
            let world = try await request.world()
            let ring = Guarded(World.keys)
            let source = KeyRingSource(World.keys) { ring.withLock { $0 } }
            let wasRetired = Guarded(false)
            let interlude = Disturbance(before: step) {
                // Retiring the key of a card at rest reports that the card will be refused.
                guard (try? await request.operation(in: world))??.state == .pending,
                    let keys = try? KeyTrustTests.rotated.retiring(1),
                    (try? await world.ledger.retire([1], at: world.now)) != nil
                else { return }
                ring.withLock { $0 = keys }
                wasRetired.withLock { $0 = true }
            }
            let station = world.station(
                reader: interlude.reader(world.reader), ledger: interlude.ledger(world.ledger),
                keySource: source)
            let said = await outcome { () throws(TapcardError) in
                try await request.perform(at: station)
            }
            guard interlude.hasCome else { break }
            #expect(said.isSuccess, "step \(step): \(said)")
            #expect(try await world.balance() == request.after, "step \(step)")
            guard wasRetired.withLock({ $0 }) else { continue }
            retired += 1
            let other = world.station(keys: ring.withLock { $0 })
            try await world.putBack()
            #expect(try await other.read().problem == nil, "step \(step)")
            #expect(try await bestKey(on: world, KeyTrustTests.rotated) == 2, "step \(step)")
            #expect(try await world.ledger.audit().violations == [], "step \(step)")
        }
        #expect(retired > 4)
    }

    @Test("A key retired after a torn payment makes no card look forged", arguments: 1...4)
    func retiredAfterATear(_ write: Int) async throws {
        for pays in [true, false] {
            let world = try await World.withCard()
            try await world.arm(Fault(at: write, counting: .write, .acknowledgeLost))
            _ = try? await world.station.pay(World.usd(250), id: World.id(2))
            try await world.putBack()
            try await world.ledger.retire([1], at: world.now)
            let station = world.station(keys: try KeyTrustTests.rotated.retiring(1))
            // What stands under a key that was given up proves no payment.
            if pays {
                let receipt = try await station.pay(World.usd(250), id: World.id(2))
                #expect(receipt.balance == World.usd(750) && !receipt.isReplayed)
            } else {
                let summary = try await station.read()
                #expect(summary.problem == nil && summary.balance == World.usd(1_000))
            }
            #expect(try await bestKey(on: world, KeyTrustTests.rotated) == 2)
            #expect(try await station.read().problem == nil)
            #expect(try await world.ledger.audit().violations == [])
        }
    }

    @Test("A retired key seals nothing, even if an older key file still has it active")
    func olderCopy() async throws {
        let world = try await World.withCard()
        try await world.ledger.retire([1], at: world.now)
        let before = try await world.tag()
        await expectRefused(.keysUnusable, exit: 1) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        #expect(try await world.tag() == before)
        let elsewhere = World(try World.blank(), ledger: world.rows)
        await expectRefused(.keysUnusable, exit: 1) { () throws(TapcardError) in
            try await elsewhere.station.make(
                CardRequest(.issue(.nobody, World.usd(1), hasScratchCard: false)), id: World.id(3))
        }
    }

    private func bestKey(on world: World, _ keys: KeyRing) async throws -> UInt8? {
        let tag = try await world.tag()
        return try tag.image.records.compactMap(SealedRecord.init)
            .max { $0.sequence < $1.sequence }?.keyID
    }
}
