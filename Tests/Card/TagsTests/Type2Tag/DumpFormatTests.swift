import Tags
import TestSupport
import Testing

@Suite("Tag dumps of a Flipper, a Proxmark3 and libnfc") struct DumpFormatTests {
    typealias Format = TagDump.Format
    static let foreign = [Format.flipper, .proxmark]

    static func read(_ text: String) throws -> (dump: TagDump, format: Format) {
        try TagDump.reading(Array(text.utf8))
    }

    static func own(_ name: String) throws -> TagDump {
        try TagDump(parsing: try fixture(name))
    }

    @Test("The format of a dump is recognized by its content")
    func tellsFormatsByTheirContent() throws {
        let formats: [(String, Format)] = [
            ("tapcard-ntag213.txt", .text), ("factory-ntag216.txt", .text),
            ("flipper-ntag213.nfc", .flipper), ("flipper-version2-ntag215.nfc", .flipper),
            ("flipper-protected-ntag213.nfc", .flipper), ("proxmark-ntag213.json", .proxmark),
            ("proxmark-ntag216.json", .proxmark), ("proxmark-protected-ntag215.json", .proxmark),
        ]
        for (file, format) in formats {
            #expect(try Self.read(try fixture(file)).format == format, "\(file)")
        }
    }

    @Test(
        "A Flipper and a Proxmark3 dump of one card equal tapcard's own",
        arguments: ["flipper-ntag213.nfc", "proxmark-ntag213.json"])
    func readsTheSameCard(_ file: String) throws {
        let dump = try Self.read(try fixture(file)).dump
        #expect(try dump == Self.own("tapcard-ntag213.txt"))
        #expect(dump.secrets?.password == [0x30, 0x96, 0xA7, 0xDE])
        #expect(dump.secrets?.pack == [0xD1, 0xA1])
    }

    @Test(
        "A raw dump of libnfc is read, and a short or damaged one is refused",
        arguments: ["tapcard-ntag213.txt", "factory-ntag215.txt", "factory-ntag216.txt"])
    func readsTheRawBytesOfLibnfc(_ file: String) throws {
        let own = try Self.own(file)
        let bytes = own.pages.flatMap { $0?.bytes ?? Page.zero.bytes }
        let (dump, format) = try TagDump.reading(bytes)
        #expect(format == .raw)
        #expect((dump.chip, dump.uid, dump.pages) == (own.chip, own.uid, own.pages))
        #expect(dump.secrets == nil && dump.signature == nil)
        for count in bytes.indices {
            #expect(throws: Type2Error.self) { try TagDump.reading(Array(bytes.prefix(count))) }
        }
        // A check byte of the UID that is not right: not the first pages of any tag.
        var damaged = bytes
        damaged[3] ^= 1
        #expect(throws: Type2Error(.contradiction)) { try TagDump.reading(damaged) }
    }

    @Test("Dumps of factory tags are read with their counter and signature, if any")
    func readsFactoryTags() throws {
        let oldest = try Self.read(try fixture("flipper-version2-ntag215.nfc")).dump
        let factory = try Self.own("factory-ntag215.txt")
        #expect(oldest.pages == factory.pages)
        #expect(oldest.signature == nil, "32 zeros are no signature")
        #expect(oldest.counter == nil)
        #expect(oldest.secrets == nil)
        #expect(try oldest.memory() == factory.memory())

        let counted = try Self.read(try fixture("proxmark-ntag216.json")).dump
        #expect(counted.counter == 263)
        #expect(counted.signature == (try Self.own("factory-ntag216.txt").signature))
        #expect(counted.pages == (try Self.own("factory-ntag216.txt").pages))
    }

    @Test(
        "Pages that a dump lacks stay unknown, in every format",
        arguments: [
            ("flipper-protected-ntag213.nfc", 18, "tapcard-ntag213.txt"),
            ("proxmark-protected-ntag215.json", 4, "factory-ntag215.txt"),
        ])
    func leavesOutWhatWasNotRead(_ file: String, _ count: Int, _ whole: String) throws {
        let dump = try Self.read(try fixture(file)).dump
        let pages = try Self.own(whole).pages
        for number in pages.indices {
            #expect(dump.pages[number] == (number < count ? pages[number] : nil))
        }
        #expect(dump.secrets == nil)
        #expect(dump.counter == (count == 18 ? 5 : nil))
        #expect(throws: Type2Error(.unreadPage)) { try dump.memory() }
        for format in Format.allCases {
            #expect(try Self.read(dump.written(as: format)).dump == dump)
        }
    }

    @Test("A dump is written exactly as the other programs write it")
    func writesWhatTheOthersWrite() throws {
        let dump = try Self.own("tapcard-ntag213.txt")
        func withoutComments(_ text: String) -> String {
            text.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n")
        }
        let flipper = try dump.written(as: .flipper)
        #expect(try withoutComments(flipper) == withoutComments(fixture("flipper-ntag213.nfc")))
        #expect(flipper.hasSuffix("attempts: 0\n"))
        // A tag that was pulled from its counter's writing says so; these fields have no other use.
        let proxmark = try fixture("proxmark-ntag213.json")
            .replacing("\"Created\": \"proxmark3\"", with: "\"Created\": \"tapcard\"")
            .replacing("\"Tearing2\": \"BD\"", with: "\"Tearing2\": \"00\"")
        #expect(try dump.written(as: .proxmark) == proxmark + "\n")
        #expect(try dump.written(as: .text) == dump.text)
    }

    @Test(
        "A whole tag survives a round trip through each foreign format", arguments: Type2Chip.known,
        foreign)
    func keepsAllThatATagKeeps(_ chip: Type2Chip, _ format: Format) throws {
        var memory = try #require(
            TagMemory.blank(chip, uid: TagBench.uid, signature: (0..<32).map { 200 + $0 }))
        for page in chip.userPages { memory[page] = Page(page, 0xAB, ~page, 0) }
        memory.counter = 0x12_3456
        memory.failedPasswords = format == .flipper ? 7 : 0
        let secret = TagDump(memory: memory, withSecrets: true)
        #expect(try Self.read(secret.written(as: format)).dump == secret)
        let seen = TagDump(memory)
        #expect(seen.secrets == nil)
        let again = try Self.read(seen.written(as: format)).dump
        #expect(again == seen)
        #expect(again.text == seen.text)
    }

    @Test("A dump that a format cannot express is not written", arguments: foreign)
    func writesNothingThatTheFormatCannotTell(_ format: Format) throws {
        func refuses(_ dump: TagDump, _ words: String) {
            let error = #expect(throws: Type2Error(.inexpressible)) {
                try dump.written(as: format)
            }
            #expect(error?.detail == words)
        }
        let memory = try #require(TagMemory.blank(.ntag213, uid: TagBench.uid))
        var pages: [Page?] = memory.pages
        pages[7] = nil
        refuses(
            try TagDump(chip: .ntag213, uid: TagBench.uid, pages: pages),
            "that page 7 was unreadable while page 8 was readable")
        for page in 7..<45 { pages[page] = nil }
        var partial = try TagDump(chip: .ntag213, uid: TagBench.uid, pages: pages)
        #expect(throws: Never.self) { try partial.written(as: format) }
        partial.secrets = try TagDump.Secrets(
            password: [1, 2, 3, 4], pack: [5, 6], failedPasswords: 0)
        refuses(partial, "the password of a partly read tag")
        let unread = try TagDump(
            chip: .ntag213, uid: TagBench.uid, pages: [Page?](repeating: nil, count: 45))
        if format == .proxmark {
            refuses(unread, "that no page could be read")
        } else {
            #expect(try Self.read(unread.written(as: format)).dump == unread)
        }
        var open = memory
        open[0x2B] = .zero
        refuses(
            TagDump(memory: open, withSecrets: true),
            "a password and PACK that are known to be zero")
        let other = try #require(Type2Chip.other(capability: Page(0xE1, 0x10, 0x06, 0x00)))
        refuses(
            TagDump(try #require(TagMemory.blank(other, uid: TagBench.uid))),
            "the chip of a Type 2 tag")
        refuses(
            try TagDump(chip: .ntag213, uid: [4, 1, 2, 3, 4, 5, 6], pages: TagDump(memory).pages),
            "that pages 0 to 2 do not match the UID 04010203040506")
        var shown: [Page?] = memory.pages
        shown[0x2B] = Page(1, 2, 3, 4)
        refuses(
            try TagDump(chip: .ntag213, uid: TagBench.uid, pages: shown),
            "content in pages that a reader sees only as zeros")
        var tried = memory
        tried.failedPasswords = 2
        if format == .proxmark {
            refuses(TagDump(memory: tried, withSecrets: true), "2 wrong passwords")
        }
    }

    @Test(
        "Dumps with Windows line ends are read",
        arguments: ["tapcard-ntag213.txt", "flipper-ntag213.nfc", "proxmark-ntag213.json"])
    func takesTheLineEndsOfWindows(_ file: String) throws {
        let text = try fixture(file)
        let windows = text.replacing("\n", with: "\r\n")
        #expect(windows != text)
        #expect(try Self.read(windows).dump == Self.read(text).dump)
    }

    @Test("Bytes that are not a dump are refused with the reason")
    func refusesWhatIsNoDump() throws {
        func refuses(_ kind: Type2Error.Kind, _ bytes: [UInt8], _ words: String) {
            let error = #expect(throws: Type2Error(kind)) { try TagDump.reading(bytes) }
            #expect(error?.detail == words)
        }
        let lengths =
            "a raw dump must have the chip's size (180 for an NTAG213, 540 for an NTAG215, "
            + "924 for an NTAG216)"
        let nothing =
            "the first line is neither tapcard's \"tapcard tag 1\" nor that of a Flipper or "
            + "Proxmark3 file"
        refuses(.unknownVersion, [], nothing)
        refuses(.unknownVersion, Array("hello\n".utf8), nothing)
        refuses(.unknownVersion, [0xFF, 0xFE, 0xFD], nothing)
        refuses(
            .badSyntax, Array("tapcard tag 1\n\u{0}".utf8),
            "byte 14 is zero, so this is not text; \(lengths), not 15")
        refuses(
            .badSyntax, [4, 0x52, 0, 1], "byte 2 is zero, so this is not text; \(lengths), not 4")
        let long = [UInt8](repeating: UInt8(ascii: "#"), count: TagDump.maximumTextBytes + 1)
        refuses(
            .tooLong, long, "the file has 65537 bytes, which is more than any dump has (65536)")
    }

    @Test(
        "A Flipper file that ends early is refused",
        arguments: ["flipper-version2-ntag215.nfc", "flipper-protected-ntag213.nfc"])
    func refusesEveryFlipperFileThatEndsEarly(_ file: String) throws {
        let lines = try fixture(file).split(separator: "\n")
        // The failed attempts at the end are not in the files of every version.
        let needed = lines.count - (lines.last?.hasPrefix("Failed") == true ? 1 : 0)
        for count in 0..<needed {
            let text = lines.prefix(count).joined(separator: "\n")
            #expect(throws: Type2Error.self, "\(count) lines") { try Self.read(text) }
        }
    }

    @Test("A Proxmark3 file that ends early is refused")
    func refusesEveryProxmarkFileThatEndsEarly() throws {
        let bytes = Array(try fixture("proxmark-protected-ntag215.json").utf8)
        for count in bytes.indices {
            #expect(throws: Type2Error.self, "\(count) bytes") {
                try TagDump.reading(Array(bytes.prefix(count)))
            }
        }
    }

    @Test(
        "A damaged dump never stops the program",
        arguments: [
            "flipper-ntag213.nfc", "flipper-protected-ntag213.nfc", "proxmark-ntag213.json",
            "proxmark-protected-ntag215.json",
        ])
    func neverTrapsOnDamagedFiles(_ file: String) throws {
        let bytes = Array(try fixture(file).utf8)
        var random = SeededGenerator(seed: 0xF11_99E4)
        var accepted = 0
        for _ in 0..<500 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: damaged.indices, using: &random)
                damaged[index] = UInt8.random(in: 0x20...0x7E, using: &random)
            }
            guard let (dump, format) = try? TagDump.reading(damaged) else { continue }
            accepted += 1
            #expect(try Self.read(dump.written(as: format)).dump == dump)
        }
        #expect(accepted > 0)
    }
}
