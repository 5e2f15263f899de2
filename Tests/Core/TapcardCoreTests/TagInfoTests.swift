import Cards
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// The content of a tag, whatever program wrote it.
@Suite("Information on a tag")
struct TagInfoTests: ProvenCards {
    @Test(
        "The information on a tag names its chip, number, and version", arguments: Type2Chip.known)
    func chip(_ chip: Type2Chip) async throws {
        let world = World(try World.blank(chip))
        let info = try await world.station.tagInfo()
        #expect(info.uid == (try await world.uid()).bytes)
        #expect(info.pages == chip && info.version == chip.version)
        #expect(!info.isLocked && !info.isProtected && info.counter == nil)
        #expect(info.ndef == "empty")
    }

    @Test("The information on a tag says what kind of message it holds", arguments: Type2Chip.known)
    func content(_ chip: Type2Chip) async throws {
        // Longer than a card, and than what one answer brings.
        let long = String(repeating: "long text ", count: chip == .ntag213 ? 12 : 44)
        let cases: [(NDEFRecord, String)] = [
            (NDEFText(language: "en", text: "Hello").record, "text"),
            (NDEFText(language: "en", text: long).record, "text"),
            (NDEFURI("https://example.org").record, "uri"),
            (TagMemory.appRecord(TagMemory.appJSON), "json"),
            (TagMemory.appRecord(#"{"accountValue":-1}"#), "json"),
            (NDEFText(language: "en", text: #"{"balance":1.00}"#).record, "tapcard"),
            (NDEFRecord(format: .media, type: [0x61], id: [], payload: []), "other"),
        ]
        let world = World(try World.blank(chip))
        for (record, word) in cases {
            var tag = try #require(TagMemory.blank(chip, uid: try await world.tag().uid))
            try tag.lay(record)
            try await world.put(tag)
            #expect(try await world.station.tagInfo().ndef == word)
        }
        try await world.alter { $0[4] = Page(0x03, 0xFF, 0xFF, 0xFF) }
        #expect(try await world.station.tagInfo().ndef == "none")
        #expect(await world.reader.writeCount == 0)
    }

    @Test(
        "The information on a tag counts the bytes that its message could grow by",
        arguments: Type2Chip.known)
    func freeBytes(_ chip: Type2Chip) async throws {
        let world = World(try World.blank(chip))
        let record = NDEFText(language: "en", text: "Hello").record
        var tag = try #require(TagMemory.blank(chip, uid: try await world.tag().uid))
        try tag.lay(record)
        try await world.put(tag)
        // Header and length of the block, four bytes of the record's, "en", the text, the end.
        let used = 2 + 4 + 3 + 5 + 1
        #expect(
            try await world.station.tagInfo().freeBytes == chip.userPages.count * 4 - used)
        // On a card the message ends where the records begin.
        let json = #"{"balance":1.00}"#
        try tag.lay(NDEFText(language: "en", text: json).record)
        try await world.put(tag)
        let layout = try #require(chip.model.flatMap(CardLayout.init))
        #expect(
            try await world.station.tagInfo().freeBytes == layout.jsonCapacity - json.utf8.count)
        try await world.alter { $0[4] = Page(0x03, 0xFF, 0xFF, 0xFF) }
        #expect(try await world.station.tagInfo().freeBytes == 0)
    }

    @Test(
        "The information on a tag says whether it is locked or protected, and its counter",
        arguments: Type2Chip.known)
    func access(_ chip: Type2Chip) async throws {
        let configuration = try #require(chip.configurationPage)
        let lock = try #require(chip.dynamicLockPage)
        func info(_ change: (inout TagMemory) -> Void) async throws -> TagInfo {
            let world = World(try World.blank(chip))
            try await world.alter(change)
            return try await world.station.tagInfo()
        }
        #expect(try await info { $0[2][2] = 0x10 }.isLocked)
        #expect(try await info { $0[lock][1] = 0x01 }.isLocked)
        #expect(try await info { $0[3][3] = 0x0F }.isLocked)
        #expect(try await info { $0[configuration][3] = 0x02 }.isProtected)
        #expect(try await info { $0[configuration + 1][0] = 0x10 }.counter == 1)
        // The counter itself is protected by the password.
        #expect(
            try await info {
                $0[configuration + 1][0] = 0x18
                $0[configuration][3] = 0x02
            }
            .counter == nil)
    }

    @Test("A tag whose content needs a password is described, but not read as a card")
    func protectedFromReading() async throws {
        let world = World(try World.blank())
        try await world.alter { tag in
            tag[0x29][3] = 0x10
            tag[0x2A][0] = 0x80
        }
        let info = try await world.station.tagInfo()
        #expect(info.chip == "NTAG213" && info.maker == "NXP Semiconductors")
        #expect(info.pages == .ntag213 && info.version == Type2Chip.ntag213.version)
        #expect(info.isProtected && info.isHidden && info.configuration == nil)
        #expect(info.ndef == "none" && info.freeBytes == 0 && info.originality == .none)
        await expectRefused(.protectedTag, exit: 4) { () throws(TapcardError) in
            try await world.station.read()
        }
    }

    @Test("The longest message of an NTAG 424 is described", arguments: [1, 230, 240, 247])
    func longFile(_ count: Int) async throws {
        let world = try factory()
        var options = WriteOptions()
        options.overwrites = true
        let message = NDEFMessage([.media("a/b", [UInt8](repeating: 0x41, count: count))])
        let written = try await world.station.messages.write(options) { _ in message }
        let info = try await world.station.tagInfo()
        #expect(info.ndef == "other")
        #expect(info.freeBytes == 254 - written.message.count)
    }

    @Test(
        "A Type 4 tag with a malformed version is described by its message",
        arguments: [[0x91], [0x91, 0x00], [0x04, 0x91, 0x00]] as [[UInt8]])
    func malformedVersion(_ version: [UInt8]) async throws {
        let world = try factory()
        let reader = InterposedReader(
            world.reader,
            command: { command, reader throws(ReaderError) in
                command.starts(with: [0x90, 0x60])
                    ? version : try await reader.exchange(command: command)
            })
        let info = try await world.station(reader: reader).tagInfo()
        #expect(info.chip == "unknown Type 4 tag" && info.userByteCount == 254)
    }
}
