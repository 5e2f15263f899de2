import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// What a card's password protects against, and what a phone nearby can still do.
@Suite("Attacks on a card's password")
struct PasswordAttackTests {
    @Test("A protected card refuses every write and guess, and still pays afterwards")
    func withoutPassword() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        let before = try await world.tag()
        for page: UInt8 in 2...0x2C {
            try await expectRefusal(of: .write(page, Page(0xFF, 0xFF, 0xFF, 0xFF)), in: world)
        }
        // As often as anyone likes to guess.
        for guess: UInt8 in 0...20 {
            try await expectRefusal(of: .authenticate([guess, 1, 2, 3]), in: world)
        }
        #expect(try await world.tag() == before)
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        try await world.expectResolved()
    }

    @Test("An overheard password lets an attacker damage that card, but no other")
    func sniffed() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        let password = try await payOverheard(in: world).frame

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
        try await world.expectResolved()

        try await world.put(try World.otherTag())
        let other = CardRequest(
            .issue(.nobody, World.usd(500), hasScratchCard: false), protects: true)
        _ = try await world.station.make(other, id: World.id(4))
        _ = try await world.reader.select(within: .zero)
        await #expect(throws: ReaderError(.refused(0))) {
            try await world.reader.exchange(password)
        }
    }

    @Test("A card locked with an overheard password is lost, but its money can move")
    func sniffedAndLocked() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        let password = try await payOverheard(in: world).frame

        _ = try await world.reader.select(within: .zero)
        _ = try await world.reader.exchange(password)
        let locks: [(UInt8, Page)] = [(2, Page(0, 0, 0xFF, 0xFF)), (0x28, Page(0xFF, 0xFF, 0, 0))]
        for (page, bits) in locks {
            _ = try await world.reader.exchange(Type2Command.write(page, bits).frame)
        }
        await world.reader.release()
        let locked = try await world.tag()
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(3))
        }
        // It voids the first one, and is never begun.
        await expectRefused(.lockedTag, exit: 4) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(4))
        }
        #expect(try await world.tag() == locked, "not even the keys open it again")
        let lost = try await world.uid()
        try await world.put(try World.otherTag())
        let moved = try await world.station.make(CardRequest(.replace(lost)), id: World.id(5))
        #expect(moved.balance == World.usd(750))
    }

    @Test("A copy made with an overheard password pays, and the original is then refused")
    func copiedWithPassword() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        let overheard = try await payOverheard(in: world)
        let honest = try await world.tag()
        // What any reader sees, and the two answers from the air.
        var copy = try #require(TagMemory.blank(.ntag213, uid: honest.uid))
        for page in honest.chip.userPages { copy[page] = honest.visible(page) }
        copy[0x29] = honest.visible(0x29)
        copy[0x2B] = try #require(Page(overheard.frame.dropFirst()))
        let pack = try #require(overheard.answer)
        copy[0x2C] = try #require(Page(pack + [0, 0]))

        try await world.put(copy)
        _ = try await world.station.pay(World.usd(250), id: World.id(3))
        #expect(try await world.balance() == 500)
        try await world.put(honest)
        await expectRefused(.rolledBack, exit: 7) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(4))
        }
        #expect(try await world.balance() == 500)
    }

    @Test("A tag with a card's number gets the card's password only if it has its record, too")
    func collected() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        let honest = try await world.tag()
        let bare = try #require(TagMemory.blank(.ntag213, uid: honest.uid))
        // What any phone reads.
        var copy = bare
        for page in honest.chip.userPages { copy[page] = honest.visible(page) }
        copy[0x29] = honest.visible(0x29)
        func passwords(sentTo tag: TagMemory) async throws -> Int {
            try await world.put(tag)
            let air = InterposedReader(world.reader)
            await #expect(throws: TapcardError.self) {
                _ = try await world.station(reader: air).pay(World.usd(250), id: World.id(2))
            }
            return Set(air.passwords.map(\.frame)).count
        }
        #expect(try await passwords(sentTo: bare) == 0)
        #expect(try await passwords(sentTo: copy) == 1)
        #expect(try await world.balance() == 1_000)
    }

    @Test("A foreign password on an unprotected card costs the card but no money")
    func ofAVandal() async throws {
        let world = try await World.withCard()
        try await world.alter { $0.setPasswordOfAnother() }
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        let lost = try await world.uid()
        try await world.put(try World.otherTag())
        let moved = try await world.station.make(CardRequest(.replace(lost)), id: World.id(3))
        #expect(moved.balance == World.usd(1_000))
    }

    /// Pays, and returns the exchange of the password that an eavesdropper hears.
    private func payOverheard(in world: World) async throws -> InterposedReader.Exchange {
        let air = InterposedReader(world.reader)
        _ = try await world.station(reader: air).pay(World.usd(250), id: World.id(2))
        return try #require(air.passwords.first)
    }

    private func expectRefusal(of command: Type2Command, in world: World) async throws {
        _ = try await world.reader.select(within: .zero)
        await #expect(throws: ReaderError(.refused(0)), "\(command)") {
            _ = try await world.reader.exchange(command.frame)
        }
        await world.reader.release()
    }
}
