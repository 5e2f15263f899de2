import Cards
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// Reading a tag, or refusing to write to it, never changes it.
@Suite("Foreign tags of many kinds")
struct ForeignTagTests: ProvenCards {
    private static let link = NDEFMessage([NDEFURI("https://example.com/spools/17").record])

    /// The data areas of Type 2 tags from different writers.
    private static func areas() throws -> [(name: String, bytes: [UInt8])] {
        func area(_ records: NDEFRecord...) throws -> [UInt8] {
            TLVArea.encoded(message: try NDEFMessage(records).encoded())
        }
        func raw(_ message: [UInt8]) -> [UInt8] { TLVArea.encoded(message: message) }
        func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }
        let link = try Self.link.encoded()
        let poster = try NDEFMessage([
            NDEFURI("https://example.com").record, NDEFText(language: "en", text: "Shop").record,
        ]).encoded()
        let prefixes = (0...36).map {
            NDEFRecord(format: .wellKnown, type: ascii("U"), payload: [$0] + ascii("a.b"))
        }
        return [
            (
                "lock and memory control",
                [1, 3, 0xA0, 0x10, 0x44, 2, 3, 0xA5, 0x10, 0x44] + raw(link)
            ),
            ("long length", [3, 0xFF, 0, UInt8(link.count)] + link + [0xFE]),
            ("empty message", [3, 0, 0xFE]), ("padding", [0, 0, 0] + raw(link)),
            ("no terminator", raw(link).dropLast()),
            ("proprietary block", [0xFD, 2, 1, 2] + raw(link)),
            (
                "smart poster",
                try area(NDEFRecord(format: .wellKnown, type: ascii("Sp"), payload: poster))
            ),
            ("UTF-16", try area(NDEFText(language: "en", text: "é", encoding: .utf16).record)),
            ("all prefixes", raw(try NDEFMessage(prefixes).encoded())),
            (
                "Wi-Fi",
                try area(
                    WiFiNetwork(name: "Shop", password: "password", security: .wpa).record)
            ),
            ("contact", try area(.media("text/vcard", ascii("BEGIN:VCARD\r\nFN:A\r\nEND:VCARD")))),
            ("Android app", try area(.androidApp("com.example"))),
            (
                "external type",
                try area(NDEFRecord(format: .external, type: ascii("example.com:x"), payload: [1]))
            ),
            ("unknown type", try area(NDEFRecord(format: .unknown, payload: [1, 2]))),
            ("reserved type", raw([0xD7, 0, 1, 1])),
            ("chunks", raw([0xB1, 1, 2, 0x54, 2, 0x65, 0x56, 0, 2, 0x6E, 0x41])),
            ("wrong record length", raw([0xD1, 1, 200, 0x55, 1])),
            ("longer than the memory", [3, 0xFF, 0x10, 0x00] + link), ("no blocks", []),
        ]
    }

    private func world(_ chip: Type2Chip, _ size: UInt8, _ area: [UInt8] = []) throws -> World {
        var tag = try #require(TagMemory.blank(chip, uid: [0x04, 1, 2, 3, 4, 5, 6]))
        tag[3] = Page(0xE1, 0x10, size, 0)
        if chip == .ultralightC { tag[0x2A] = Page(0x30, 0, 0, 0) }
        let bytes = area + [UInt8](repeating: 0, count: 3)
        for (page, start) in zip(chip.userPages, stride(from: 0, to: area.count, by: 4)) {
            tag[page] = try #require(Page(bytes[start..<start + 4]))
        }
        return World(Simulation([tag], onReader: [tag.uid]))
    }

    @Test("A Type 2 tag is left unchanged, no matter what it holds")
    func pages() async throws {
        let plain = try #require(Type2Chip.other(capability: Page(0xE1, 0x10, 0x3E, 0)))
        var worlds = try Self.areas().map { ($0.name, try world(plain, 0x3E, $0.bytes)) }
        let link = TLVArea.encoded(message: try Self.link.encoded())
        let ultralightEV1 = try #require(Type2Chip(otherVersion: AnyTagInfoTests.large))
        for (name, chip, size) in [
            ("read-only", plain, 0x3E), ("locked", plain, 0x3E), ("unformatted", plain, 0),
            ("Ultralight EV1", ultralightEV1, 0x10), ("Ultralight C", .ultralightC, 0x12),
            ("password", .ntag216, 0x6D),
        ] as [(String, Type2Chip, UInt8)] {
            let world = try world(chip, size, link)
            try await world.alter { tag in
                switch name {
                case "read-only": tag[3][3] = 0x0F
                case "locked": tag[2][2] = 0xF0
                case "Ultralight EV1": tag.counter = 5
                case "password":
                    tag[0xE3][3] = 0x04
                    tag[0xE5] = Page(1, 2, 3, 4)
                default: break
                }
            }
            worlds.append((name, world))
        }
        #expect(worlds.count >= 20)
        for (name, world) in worlds {
            let reader = world.notingReader()
            try await expectUnchanged(name, world.station(reader: reader)) {
                try await world.tag()
            }
            // GET_VERSION, READ, READ_CNT, FAST_READ, READ_SIG, and the first step of an Ultralight
            // C's authentication. The factory password is tried only on a tag that does not count
            // wrong passwords.
            let reading: [UInt8] =
                [0x60, 0x30, 0x39, 0x3A, 0x3C, 0x1A] + (name == "password" ? [0x1B] : [])
            #expect(reader.exchanges.allSatisfy { reading.contains($0.frame[0]) }, "\(name)")
            #expect(!reader.exchanges.isEmpty)
        }
    }

    @Test("A watch reads a tag once, or twice if its memory is larger than a card")
    func once() async throws {
        let link = try Self.link.encoded()
        for (chip, size, isOnce) in [
            (.ntag213, 0x12, true), (.ntag215, 0x3E, false),
        ] as [(Type2Chip, UInt8, Bool)] {
            let world = try world(chip, size, TLVArea.encoded(message: link))
            let reader = world.notingReader()
            await world.station(reader: reader).watchTags(
                advising: false, reading: { true },
                { _, reading, _ in
                    #expect(reading?.message == link)
                    return false
                }, { _ in false })
            // GET_VERSION, READ, FAST_READ, and READ_SIG.
            let once: [UInt8] = [0x60, 0x30, 0x3A, 0x3C]
            #expect((reader.exchanges.map { $0.frame[0] } == once) == isOnce, "\(size)")
        }
    }

    @Test("A card with files or sectors is left unchanged")
    func files() async throws {
        let link = try Self.link.encoded()
        for (name, reader) in [
            ("empty file", PlayedFiles(message: [])),
            ("read-only file", PlayedFiles(message: link, writing: 0xFF)),
            ("hidden file", PlayedFiles(message: link, isKeyed: true)),
            ("DESFire", PlayedFiles(message: link, version: [0x04, 0x01, 0x01, 1, 0, 0x18, 5])),
            ("MIFARE Classic", PlayedFiles(.sectors(0x08))),
        ] {
            let station = World(Simulation()).station(reader: reader)
            try await expectUnchanged(name, station) { 0 }
            // SELECT, READ BINARY, and the NTAG 424 commands that read without a key.
            let reading: Set<[UInt8]> = [
                [0x00, 0xA4], [0x00, 0xB0], [0x90, 0x60], [0x90, 0xAF], [0x90, 0x64], [0x90, 0x3C],
                [0x90, 0xAD], [0x90, 0xF5],
            ]
            #expect(reader.commands.allSatisfy { reading.contains(Array($0.prefix(2))) }, "\(name)")
            #expect(reader.commands.isEmpty == (name == "MIFARE Classic"))
        }
    }

    @Test("An NTAG 424 with factory keys is left unchanged")
    func ntag424() async throws {
        let world = try factory()
        try await expectUnchanged("NTAG 424", world.station) {
            let chip = try await chip(world)
            return FileNumber.allCases.map { chip[$0].bytes }
                + KeyNumber.allCases.map { [chip[$0].version] }
        }
        #expect(await world.reader.writeCount == 0)
    }

    /// Reads the tag in every way, tries every write that must be refused, and compares the memory.
    private func expectUnchanged(
        _ name: String, _ station: Station, _ memory: () async throws -> some Equatable
    ) async throws {
        let before = try await memory()
        _ = try await station.tagInfo()
        let reading = try? await station.messages.read()
        await station.messages.watch({ _ in false }, showOther: { _ in false })
        await station.watchTags(reading: { false }, { _, _, _ in false }, { _ in false })
        await station.watchTags(
            reading: { true },
            { _, shown, _ in
                #expect(shown?.kind == reading?.kind && shown?.records == reading?.records)
                return false
            }, { _ in false })
        var (overwriting, locking, protecting) = (WriteOptions(), WriteOptions(), WriteOptions())
        overwriting.overwrites = true
        (locking.overwrites, locking.locks) = (true, true)
        (protecting.overwrites, protecting.protects) = (true, true)
        protecting.password = TagPassword(password: [1, 2, 3, 4], pack: [])
        let long = NDEFMessage([.media("a/b", [UInt8](repeating: 0x41, count: 9_000))])
        var attempts = [(overwriting, long)]
        if name != "password" { attempts += [(locking, Self.link), (protecting, Self.link)] }
        if reading?.isEmpty != true { attempts.append((WriteOptions(), Self.other)) }
        if reading?.isWritable != true || name == "password" {
            attempts.append((overwriting, Self.other))
        }
        for (options, message) in attempts {
            let written = await outcome { () throws(TapcardError) in
                try await station.messages.write(options) { _ in message }
            }
            #expect(written.result == .refused, "\(name): \(written)")
        }
        #expect(try await memory() == before, "\(name)")
    }

    private static let other = NDEFMessage([NDEFText(language: "en", text: "Other").record])
}
