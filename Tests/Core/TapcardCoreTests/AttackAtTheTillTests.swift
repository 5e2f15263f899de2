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

/// Attempts of a thief or a vandal at the till, beyond old images and impostors. If nothing stops
/// an attack, its test says so, and docs/SECURITY.md names the test.
@Suite("Attacks at the till")
struct AttackAtTheTillTests {
    @Test("A face copied from another card, with its code, is repaired at the next tap")
    func swappedFaces() async throws {
        let world = try await World.withCard()
        _ = try await world.station.scratch(id: World.id(2))
        let first = try await world.tag()
        let code = try await world.station.read().scratch
        try await world.put(try World.otherTag())
        let request = CardRequest(
            .issue(try World.holder("Amanda Gonzalez"), World.usd(1_000), hasScratchCard: true))
        _ = try await world.station.make(request, id: World.id(3))
        let second = try #require(try await world.reader.change { $0.tag(World.otherUID) })

        var swapped = second
        for page in try first.layout.ndefPages { swapped[page] = first[page] }
        try await world.put(swapped)
        let summary = try await world.station.read()
        #expect(summary.scratch == .unscratched && summary.scratch != code)
        #expect(summary.display == .repaired && summary.problem == nil)
        #expect(try await world.reader.change { $0.tag(World.otherUID) } == second)
    }

    @Test(
        "Changing a station's clock can void an open payment but never books one twice",
        arguments: [false, true])
    func clock(_ isRestarted: Bool) async throws {
        // After a restart the time of day is all there is. A payment that was begun while it was
        // ahead is as old as any: it is not booked any more.
        for seconds: Int64 in [-31_536_000, 0, 31_536_000] {
            let isBooked = !isRestarted || seconds == 0
            let world = try await World.withCard()
            // The record is on the card, and no caller was told "paid".
            try await world.arm(Fault(at: 4, counting: .write, .acknowledgeLost))
            _ = try? await world.station.pay(World.usd(250), id: World.id(2))
            if isRestarted { world.clock.restart() }
            world.clock.set(aheadBy: seconds)
            try await world.putBack()
            let label: Comment = "\(seconds) s"
            #expect(
                try await world.station.read().resolved.map(\.operation.id) == [World.id(2)], label)
            #expect(try await world.balance() == (isBooked ? 750 : 1_000), label)
            try await world.expectResolved(label)
            let again = await outcome { () throws(TapcardError) in
                try await world.station.pay(World.usd(250), id: World.id(2))
            }
            #expect(again.isSuccess == isBooked, label)
            #expect(try await world.balance() == (isBooked ? 750 : 1_000), label)
        }
    }

    @Test("Anyone close to a card can read its name, balance, and code")
    func readable() async throws {
        let world = World(try World.blank(.ntag215))
        try await world.issue()
        let receipt = try await world.station.scratch(id: World.id(2))
        let summary = try await world.station.summary(after: receipt)
        let code = try #require(summary.scratch.code)
        let text = String(decoding: try await world.tag().image.area, as: UTF8.self)
        for word in ["Amanda Gonzalez", "10.00", code.description] {
            #expect(text.contains(word))
        }
    }

    @Test("A card behind a relay pays as if it lay on the reader")
    func relay() async throws {
        let world = try await World.withCard()
        let relay = InterposedReader(world.reader)
        _ = try await world.station(reader: relay).pay(World.usd(250), id: World.id(2))
        #expect(try await world.balance() == 750)
        #expect(!relay.exchanges.isEmpty, "the relay sees every byte")
    }

    @Test("A chip that copies a genuine number and its signature passes as genuine")
    func copiedSignature() async throws {
        let original = try #require(Simulation.fresh.tags.first)
        let copy = try #require(
            TagMemory.blank(.ntag213, uid: original.uid, signature: original.signature))
        let world = World(Simulation([copy], onReader: [copy.uid]))
        #expect(try await world.station.tagInfo().originality == .valid)
        let other = try #require(
            TagMemory.blank(.ntag213, uid: World.otherUID, signature: original.signature))
        try await world.put(other)
        #expect(try await world.station.tagInfo().originality == .invalid)
    }

    @Test("A card made with stolen keys has a valid seal but cannot pay")
    func leakedKeys() async throws {
        let thief = try await World.withCard()
        let stranger = World(try World.blank())
        try await stranger.put(try await thief.tag())
        let summary = try await stranger.station.read()
        #expect(summary.seal == .valid && summary.ledger == .unknown)
        await expectRefused(.refusal(.cardUnknown), exit: 4) { () throws(TapcardError) in
            try await stranger.station.pay(World.usd(100), id: World.id(2))
        }
        let retired = World(try World.blank(), keys: try KeyTrustTests.rotated.retiring(1))
        try await retired.put(try await thief.tag())
        #expect(try await retired.station.read().problem?.kind == .forged)
    }

    @Test(
        "A payment from a current card or an old image is refused without a ledger",
        arguments: [false, true])
    func offline(_ isOldImage: Bool) async throws {
        let world = try await World.withCard()
        let old = try await world.tag()
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        if isOldImage { try await world.put(old) }
        let before = try await world.tag()
        let offline = world.station(ledger: Disturbance(.ledgerGone, at: 1).ledger(world.ledger))
        await expectRefused(.ledgerUnavailable, exit: 9) { () throws(TapcardError) in
            try await offline.pay(World.usd(100), id: World.id(3))
        }
        #expect(try await world.tag() == before)
        #expect(try await world.balance() == 750)
    }

    @Test("A tag whose answers have the wrong length changes nothing", arguments: Lie.allCases)
    func lyingTag(_ lie: Lie) async throws {
        let world = try await World.withCard()
        let before = try await world.tag()
        let station = world.station(
            reader: InterposedReader(world.reader, answer: lie.answer))
        await expectRefused(.tagLost, exit: 1) { () throws(TapcardError) in
            try await station.pay(World.usd(250), id: World.id(2))
        }
        #expect(try await world.tag() == before)
        #expect(try await world.balance() == 1_000)
        #expect(try await world.ledger.operation(World.id(2)) == nil)

        let stranger = World(try World.blank())
        let till = stranger.station(
            reader: InterposedReader(stranger.reader, answer: lie.answer))
        let request = try CardRequest.demo(in: .usd)
        let said = await outcome { () throws(TapcardError) in
            try await till.make(request, id: World.id(1))
        }
        #expect([1, 4].contains(said.result?.exitStatus))
        #expect(await stranger.reader.writeCount == 0)
    }
}
