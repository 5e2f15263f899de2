import CardCryptography
import Cards
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// The tag of a protected card accepts no write without its password.
@Suite("A protected card")
struct ProtectedCardTests {
    @Test("A card can be protected as it is issued", arguments: Type2Chip.known)
    func issue(_ chip: Type2Chip) async throws {
        let world = World(try World.blank(chip))
        try await world.issue(protects: true)
        try await world.expectResolved()
        #expect(try await world.card().protection == .on(keyID: 1))
        #expect(try await world.operations().count { $0.kind == .protect } == 0)
    }

    @Test("A protected card can be used, closed, formatted, and reissued like any other")
    func use() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        _ = try await world.station.add(World.usd(100), id: World.id(3))
        _ = try await world.station.scratch(id: World.id(4))
        _ = try await world.station.repair(naming: try await world.uid())
        let summary = try await world.station.read()
        #expect(summary.balance == World.usd(850) && summary.protection == .on(keyID: 1))
        try await world.expectResolved()
        _ = try await world.station.close(id: World.id(5))
        try await world.expectResolved()
        let before = try await world.tag()
        _ = try await world.station.format(overwriting: false)
        let tag = try await world.tag()
        for page: UInt8 in [0, 1, 2, 3, 0x28, 0x29, 0x2A, 0x2B, 0x2C] {
            #expect(tag[page] == before[page])
        }
        try await world.expectProtected(as: .on(keyID: 1))
        // The blank tag is still ours.
        try await world.issue(mayReissue: true, id: 6)
        try await world.expectResolved()
        #expect(try await world.card().protection == .on(keyID: 1))
    }

    @Test("Restoring a dump onto a protected card keeps its password", arguments: Type2Chip.known)
    func restore(_ chip: Type2Chip) async throws {
        let world = World(try World.blank(chip))
        try await world.issue(protects: true)
        let dump = try await world.station.dump()
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        _ = try await world.station.restore(dump, overwriting: true)
        try await world.expectProtected(as: .on(keyID: 1))
        #expect(try await world.station.read().seal == .rolledBack)
        _ = try await world.station.repair(naming: try await world.uid())
        try await world.expectResolved()
    }

    @Test("Reading a protected card takes one frame and no password")
    func readsWithoutPassword() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        let reader = InterposedReader(world.reader)
        _ = try await world.station(reader: reader).read()
        #expect(reader.exchanges.count == 1)
    }

    @Test("A payment from a protected card takes four more frames")
    func frames() async throws {
        var counts: [Int] = []
        for protects in [false, true] {
            let world = World(try World.blank())
            try await world.issue(protects: protects)
            let reader = InterposedReader(world.reader)
            _ = try await world.station(reader: reader).pay(World.usd(1), id: World.id(2))
            counts.append(reader.exchanges.count)
        }
        // Settings and password before anything is begun, then for the record, and for what
        // phones read.
        #expect(counts[1] == counts[0] + 4)
    }

    @Test("A protected card keeps the key of its password, even after the key is retired")
    func keyStays() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        let rotated = try world.keys.rotated(created: "2026-02-01") { count in
            [UInt8](repeating: 0x33, count: count)
        }
        let station = world.station(keys: rotated)
        _ = try await station.pay(World.usd(100), id: World.id(2))
        #expect(try await world.card().protection == .on(keyID: 1))
        let retired = world.station(keys: try rotated.retiring(1))
        _ = try await retired.pay(World.usd(100), id: World.id(3))
        #expect(try await world.balance() == 800)
        _ = try await retired.unprotect(id: World.id(4))
        _ = try await retired.protect(id: World.id(5))
        #expect(try await world.card().protection == .on(keyID: 2))
    }

    @Test("Protection begun under a key that was then retired is finished with another")
    func begunWithAnother() async throws {
        for write in 5...8 {
            let world = try await World.withCard()
            try await world.arm(Fault(at: write, counting: .write, .torn(.mix(seed: 5))))
            await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
                try await world.station.protect(id: World.id(2))
            }
            try await world.putBack()
            let rotated = try world.keys.rotated(created: "2026-02-01") { count in
                [UInt8](repeating: 0x33, count: count)
            }
            let station = world.station(keys: try rotated.retiring(1))
            _ = try await station.repair(naming: try await world.uid())
            #expect(try await world.card().protection == .on(keyID: 2), "WRITE \(write)")
            let password = TagPassword(
                try #require(rotated.entry(2)?.masters), uid: try await world.tag().uid)
            #expect(try await world.tag()[0x2B].bytes == password.password, "WRITE \(write)")
            _ = try await station.pay(World.usd(100), id: World.id(3))
            #expect(try await world.balance() == 900)
        }
    }

    @Test("A protected card is refused if the key of its password is missing")
    func keyMissing() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        #expect(
            try await world.ledger.recordProtection(
                of: try await world.uid(), .on(keyID: 9), insteadOf: .on(keyID: 1)))
        await expectRefused(.keyMissing, exit: 7) { () throws(TapcardError) in
            try await world.station.add(World.usd(100), id: World.id(2))
        }
    }

    @Test("Protecting a tag corrects settings that somebody left half set")
    func relieved() async throws {
        let world = World(try World.blank())
        // Seven wrong passwords would close it, reading would need one, and reads are counted.
        try await world.alter { $0[0x2A] = Page(0x97, 0x05, 0, 0) }
        try await world.issue(protects: true)
        #expect(try await world.tag()[0x2A] == Page(0x10, 0x05, 0, 0))
        try await world.expectResolved()
    }

    @Test("A tag with locked settings cannot be protected but can become a card")
    func lockedSettings() async throws {
        let world = try await World.withCard()
        try await world.alter { $0[0x2A][0] = 0x40 }
        let before = try await world.tag()
        await expectRefused(.lockedTag, exit: 4) { () throws(TapcardError) in
            try await world.station.protect(id: World.id(2))
        }
        #expect(try await world.tag() == before)
        #expect(try await world.card().protection == .off)
        let blank = World(try World.blank())
        try await blank.alter { $0[0x2A][0] = 0x40 }
        await #expect(throws: TapcardError(.lockedTag, "")) {
            try await blank.issue(protects: true)
        }
        #expect(try await blank.balance() == nil)
        // Without a password it can be a card all the same.
        try await blank.issue(id: 2)
        #expect(try await blank.balance() == 1_000)
    }

    @Test("Protection is not begun on a reader that cannot send a password")
    func unsupported() async throws {
        let world = try await World.withCard()
        let before = try await world.tag()
        await expectRefused(.unsupportedReader, exit: 5) { () throws(TapcardError) in
            try await world.station(
                reader: InterposedReader(world.reader, answer: InterposedReader.storageOnly)
            )
            .protect(id: World.id(2))
        }
        #expect(try await world.tag() == before)
        #expect(try await world.operations().allSatisfy { $0.kind != .protect })
    }
}

extension World {
    func card() async throws -> LedgerCard {
        try #require(try await ledger.knownCard(of: try await uid())).card
    }
}
