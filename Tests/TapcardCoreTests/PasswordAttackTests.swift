import MockReader
import SimulatedField
import SimulatedReader
import TagReading
import TapcardCore
import TapcardDomain
import Testing
import Type2Tag

/// What a card's password is worth against somebody who stands near with a phone.
@Suite("A password on a card")
struct PasswordAttackTests {
    @Test("stops whoever writes without it, on every page, and sets no limit that closes the tag")
    func withoutPassword() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        let before = try await world.tag()
        for page: UInt8 in 2...0x2C {
            await expectRefusal(of: .write(page, Page(0xFF, 0xFF, 0xFF, 0xFF)), in: world)
        }
        // As often as anyone likes to guess.
        for guess: UInt8 in 0...20 {
            await expectRefusal(of: .authenticate([guess, 1, 2, 3]), in: world)
        }
        #expect(try await world.tag() == before)
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        try await world.expectSettled()
    }

    @Test("travels in the clear: whoever listens to one payment can spoil that card, and no other")
    func sniffed() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        let air = TracingReader(world.reader)
        _ = try await world.station(reader: air).pay(World.usd(250), id: World.id(2))
        let opcode: UInt8 = 0x1B
        let password = try #require(await air.exchanges.first { $0.frame.first == opcode }).frame

        _ = try await world.reader.select(within: .zero)
        _ = try await world.reader.exchange(password)
        for page: UInt8 in 0x20...0x27 {
            _ = try await world.reader.exchange(Type2Command.write(page, .zero).frame)
        }
        await world.reader.release()
        await expectRefused(.damaged, exit: 7) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(3))
        }
        _ = try await world.station.repair(naming: try await world.uid())
        #expect(try await world.balance() == 750)
        try await world.expectSettled()

        try await world.put(try World.otherTag())
        let other = CardOrder(
            .issue(.nobody, World.usd(500), hasScratchCard: false), protects: true)
        _ = try await world.station.make(other, id: World.id(4))
        _ = try await world.reader.select(within: .zero)
        await #expect(throws: ReaderError.self) { try await world.reader.exchange(password) }
    }

    @Test("of somebody else's on an unprotected card costs the card and no money")
    func ofAVandal() async throws {
        let world = try await World.withCard()
        try await world.alter { tag in
            tag[0x2B] = Page(1, 2, 3, 4)
            tag[0x29] = Page(0x04, 0x00, 0x00, 0x02)
        }
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        let lost = try await world.uid()
        try await world.put(try World.otherTag())
        let moved = try await world.station.make(CardOrder(.replace(lost)), id: World.id(3))
        #expect(moved.balance == World.usd(1_000))
    }

    private func expectRefusal(of command: Type2Command, in world: World) async {
        await #expect(throws: ReaderError.self, "\(command)") {
            _ = try await world.reader.select(within: .zero)
            _ = try await world.reader.exchange(command.frame)
        }
        await world.reader.release()
    }
}
