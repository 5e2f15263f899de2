import Cards
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A tag's memory is written as text and restored from it.
@Suite("Dumps of a tag")
struct DumpTests {
    @Test(
        "A dump matches what a reader sees of the tag and survives conversion to text",
        arguments: Type2Chip.known)
    func dump(_ chip: Type2Chip) async throws {
        let world = try await World.withCard(chip)
        let tag = try await world.tag()
        let dump = try await world.station.dump()
        #expect(dump == TagDump(tag))
        #expect(try TagDump(parsing: dump.text) == dump)
        #expect(try await world.tag() == tag)
    }

    @Test(
        "A dump restored onto a blank tag brings back every user page", arguments: Type2Chip.known)
    func restore(_ chip: Type2Chip) async throws {
        let world = try await TillRequest.adopt.world(on: chip)
        let tag = try await world.tag()
        let dump = try await world.station.dump()
        try await world.put(try #require(TagMemory.blank(chip, uid: tag.uid)))
        #expect(try await world.station.restore(dump, overwriting: false) == world.uid())
        let restored = try await world.tag()
        for page in chip.userPages { #expect(restored[page] == tag[page]) }
        #expect(try await world.station.dump() == dump)
    }

    @Test(
        "Restoring a dump never writes locks, containers, settings, or passwords",
        arguments: Type2Chip.known, TagDump.Format.allCases)
    func nothingThatCannotBeUndone(
        _ chip: Type2Chip, _ format: TagDump.Format
    ) async throws {
        let world = World(try World.blank(chip))
        let before = try await world.tag()
        var evil = try #require(TagMemory.blank(chip, uid: before.uid))
        for page in UInt8(2)..<UInt8(chip.pageCount) { evil[page] = Page(0xE1, 0xFF, 0xFF, 0xFF) }
        evil[2][0] = before[2][0]
        evil[2][1] = before[2][1]
        let file = try TagDump(memory: evil, withSecrets: true).written(as: format)
        let dump = try TagDump.reading(Array(file.utf8)).dump
        #expect(dump.secrets?.password == evil[UInt8(chip.pageCount - 2)].bytes)
        let reader = InterposedReader(world.reader)
        _ = try await world.station(reader: reader).restore(dump, overwriting: true)
        for exchange in reader.exchanges {
            guard case .write(let page, _)? = try? Type2Command(frame: exchange.frame) else {
                continue
            }
            #expect(chip.userPages.contains(page), "page \(page)")
        }
        let after = try await world.tag()
        let android = chip.zeroPages.map(Set.init) ?? []
        let others = Set(0..<UInt8(chip.pageCount)).subtracting(chip.userPages).union(android)
        for page in others {
            #expect(after[page] == before[page], "page \(page)")
        }
    }

    @Test("A dump omits unreadable pages, and restoring it leaves them alone")
    func protectedPages() async throws {
        let world = World(try World.blank())
        try await world.alter { tag in
            for page in tag.chip.userPages { tag[page] = Page(page, 1, 2, 3) }
            tag[0x29][3] = 0x12
            tag[0x2A][0] = 0x80
        }
        let tag = try await world.tag()
        let dump = try await world.station.dump()
        for page in 0..<45 {
            #expect(dump.pages[page] == (page < 0x12 ? tag.visible(UInt8(page)) : nil))
        }
        #expect(try TagDump(parsing: dump.text) == dump)

        let other = World(try World.blank())
        _ = try await other.station.restore(dump, overwriting: true)
        let restored = try await other.tag()
        for page in restored.chip.userPages {
            #expect(restored[page] == (page < 0x12 ? tag[page] : (try World.blank().tags[0])[page]))
        }
    }

    @Test("A dump overwrites a card or foreign data only when asked to")
    func overwriting() async throws {
        let blank = TagDump(try World.blank().tags[0])
        let world = try await World.withCard()
        let before = try await world.tag()
        await expectRefused(.refusal(.cardKnown), exit: 4) { () throws(TapcardError) in
            try await world.station.restore(blank, overwriting: false)
        }
        let foreign = try await TillRequest.adopt.world()
        await expectRefused(.notACard, exit: 4) { () throws(TapcardError) in
            try await foreign.station.restore(blank, overwriting: false)
        }
        await expectRefused(.notACard, exit: 4) { () throws(TapcardError) in
            try await foreign.station.format(overwriting: false)
        }
        #expect(try await world.tag() == before)
        _ = try await foreign.station.format(overwriting: true)
        #expect(try await foreign.tag().content == .empty)
        _ = try await world.station.restore(blank, overwriting: true)
        #expect(try await world.station.read().seal == .damaged, "a card is not made by a dump")
    }

    @Test("A dump of another chip model is refused")
    func otherChip() async throws {
        let world = World(try World.blank(.ntag215))
        let dump = TagDump(try World.blank(.ntag216).tags[0])
        await expectRefused(.unsupportedTag, exit: 4) { () throws(TapcardError) in
            try await world.station.restore(dump, overwriting: true)
        }
        #expect(await world.reader.writeCount == 0)
    }

    @Test("Restoring a dump writes only the pages that differ")
    func onlyWhatDiffers() async throws {
        let world = try await TillRequest.adopt.world()
        let dump = try await world.station.dump()
        _ = try await world.station.restore(dump, overwriting: true)
        #expect(await world.reader.writeCount == 0)
        try await world.alter { $0.flip(1, at: 4 * 9) }
        _ = try await world.station.restore(dump, overwriting: true)
        #expect(await world.reader.writeCount == 1)
    }

    @Test(
        "A dump and a payment work with any reader, however short its answers",
        arguments: [16, 20, 64, 250])
    func shortAnswers(_ longest: Int) async throws {
        let world = try await World.withCard(.ntag216)
        let reader = SimulatedReader(
            try await world.reader.change { $0 }, maximumAnswerLength: longest)
        let station = world.station(reader: reader)
        #expect(try await station.dump() == TagDump(world.tag()))
        _ = try await station.pay(World.usd(250), id: World.id(2))
        try await world.put(try await reader.change { $0.tags[0] })
        try await world.expectResolved()
    }
}
