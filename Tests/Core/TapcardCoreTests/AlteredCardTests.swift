import Cards
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

@Suite("A card with altered bytes")
struct AlteredCardTests {
    /// The bytes of a slot.
    static let recordBytes = 0..<SealedRecord.byteCount

    @Test(
        "A card whose newest record is altered is refused as damaged", arguments: recordBytes,
        [UInt8(0x01), 0x80])
    func lastRecord(_ byte: Int, _ mask: UInt8) async throws {
        let world = try await World.withCard()
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        let place = try #require(try await world.slots().best?.slotIndex)
        try await flip(mask, at: byte, inPlace: place, of: world)
        let before = try await world.tag()

        let summary = try await world.station.read()
        #expect(summary.seal == .damaged && summary.problem?.result.exitStatus == 7)
        #expect(summary.balance == World.usd(750))
        await expectRefused(.damaged, exit: 7) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(3))
        }
        #expect(try await world.tag() == before)
        #expect(try await world.balance() == 750)
    }

    @Test("A card whose older record is altered keeps working", arguments: recordBytes)
    func olderRecord(_ byte: Int) async throws {
        let world = try await World.withCard()
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        let place = 1 - (try #require(try await world.slots().best?.slotIndex))
        try await flip(0x10, at: byte, inPlace: place, of: world)
        let summary = try await world.station.read()
        #expect(summary.seal == .valid && summary.balance == World.usd(750))
        _ = try await world.station.pay(World.usd(250), id: World.id(3))
        try await world.expectResolved()
    }

    @Test(
        "A card whose unconfirmed record is altered goes on from its other record",
        arguments: recordBytes)
    func unconfirmedRecord(_ byte: Int) async throws {
        let world = try await World.withCard()
        try await world.arm(Fault(at: 4, counting: .write, .acknowledgeLost))
        _ = try? await world.station.pay(World.usd(250), id: World.id(2))
        try await world.putBack()
        let place = try #require(try await world.slots().best?.slotIndex)
        try await flip(0x04, at: byte, inPlace: place, of: world)
        let summary = try await world.station.read()
        #expect(summary.problem == nil && summary.balance == World.usd(1_000))
        #expect(try await world.ledger.operation(World.id(2))?.state == .voided)
        try await world.expectResolved()
    }

    @Test(
        "An altered face is repaired and reported", arguments: Type2Chip.known,
        FaceStyle.allCases)
    func face(_ chip: Type2Chip, _ style: FaceStyle) async throws {
        let world = World(try World.blank(chip))
        try await world.issue(face: style)
        let good = try await world.tag()
        let used = try #require(try good.image.area.lastIndex { $0 != 0 })
        for byte in 0...used {
            for mask: UInt8 in [0x01, 0x20] {
                var tag = good
                tag.flip(mask, at: 16 + byte)
                try await world.put(tag)
                let label: Comment = "byte \(byte), \(mask)"
                let summary = try await world.station.read()
                #expect(summary.seal == .valid && summary.problem == nil, label)
                #expect(summary.balance == World.usd(1_000), label)
                #expect(summary.holder == (try World.holder("Amanda Gonzalez")), label)
                #expect(summary.display == .repaired, label)
                #expect(try await world.tag() == good, label)
                #expect(try await world.station.read().display == .current, label)
            }
        }
    }

    @Test("An altered face is only reported as out of date when nothing may be written")
    func withoutResolving() async throws {
        let world = try await World.withCard()
        try await world.alter { $0.flip(0x01, at: 16 + 20) }
        let altered = try await world.tag()
        let summary = try await world.station.read(resolving: false)
        #expect(summary.display == .outOfDate && summary.balance == World.usd(1_000))
        #expect(try await world.tag() == altered)
    }

    @Test("A balance raised on the face lets no card pay more than the ledger allows")
    func paysFromTheLedger() async throws {
        let world = try await World.withCard()
        // 10.00 becomes 90.00 for a phone.
        try await world.alter { $0.flip(0x08, at: 0x09 * 4) }
        #expect(try await world.tag().content.face?.balance == World.usd(9_000))
        await expectRefused(.refusal(.insufficientBalance), exit: 4) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1_001), id: World.id(2))
        }
        let receipt = try await world.station.pay(World.usd(250), id: World.id(3))
        #expect(receipt.balance == World.usd(750))
        try await world.expectResolved()
    }

    private func flip(
        _ mask: UInt8, at byte: Int, inPlace place: Int, of world: World
    ) async throws {
        let page = try await world.tag().layout.recordPages[place]
        try await world.alter { $0.flip(mask, at: Int(page) * 4 + byte) }
    }
}
