import Cards
import PortDoubles
import Tags
import TapcardDomain
import Testing

@Suite("First reading of other Type 2 tags")
struct OtherChipTests {
    private func header(size: UInt8, magic: UInt8 = 0xE1, version: UInt8 = 0x10) -> [UInt8] {
        ScanTagTests.header.dropLast(4) + [magic, version, size, 0]
    }

    private func block(from page: UInt8) -> ScriptedReader.Reply {
        .answer(numbered(page...page.addingReportingOverflow(3).partialValue))
    }

    @Test(
        "A tag that refuses GET_VERSION, or fails to answer it twice, is selected again and read",
        arguments: [
            ReaderError.Kind.refused(0), .timedOut, .garbled, .tagLost,
        ])
    func olderChip(kind: ReaderError.Kind) async throws {
        let asked: [ScriptedReader.Reply] = [.failure(kind), .tag(ScanTagTests.identity)]
        let isRefusal = kind == .refused(0)
        let played = await ScanTagTests.scan(
            (isRefusal ? asked : asked + asked) + [.answer(header(size: 6))]
                + [4, 8, 12].map(block) + [.failure(.tagLost)])
        #expect(
            played.trace == (isRefusal ? [[0x60], []] : [[0x60], [], [0x60], []])
                + [[0x30, 0], [0x30, 4], [0x30, 8], [0x30, 12], [0x1A, 0]])
        let tag = try #require(played.outcome)
        #expect(tag.chip == Type2Chip.other(capability: Page(0xE1, 0x10, 6, 0)))
        #expect(tag.version == nil && tag.signature == nil)
        #expect(tag.memory == numbered(4...15))
        #expect(tag.kind == "MIFARE Ultralight")
    }

    @Test("A lost answer to GET_VERSION is asked for once more")
    func lostAnswer() async throws {
        for kind in [ReaderError.Kind.timedOut, .garbled, .tagLost] {
            let played = await ScanTagTests.scan(
                [.failure(kind), .tag(ScanTagTests.identity)]
                    + ScanTagTests.answers().map { .answer($0) })
            #expect(try #require(played.outcome).chip == .ntag213)
            #expect(played.trace == [[0x60], []] + ScanTagTests.frames)
        }
    }

    @Test("A tag without a capability container is read as the smallest chip")
    func unformatted() async throws {
        let played = await ScanTagTests.scan(
            [
                .failure(.refused(0)), .tag(ScanTagTests.identity),
                .answer(header(size: 0, magic: 0, version: 0)),
            ] + [4, 8, 12].map(block) + [.failure(.timedOut)])
        let tag = try #require(played.outcome)
        #expect(tag.kind == "MIFARE Ultralight" && tag.memory == numbered(4...15))
    }

    @Test(
        "A tag is named after its version, with the right article",
        arguments: [
            (0x0004_0301_0100_0B03, "MIFARE Ultralight EV1"),
            (0x0004_0301_0100_0E03, "MIFARE Ultralight EV1"),
            (0x0004_0301_0400_0F03, "MIFARE Ultralight AES"),
            (0x0004_0405_0100_1303, "NTAG I2C"),
            (0x0004_0405_0202_1503, "NTAG I2C plus"),
            (0x0004_0401_0100_0B03, "NTAG210"),
            (0x0004_0401_0100_0E03, "NTAG212"),
            (0x0004_0402_0300_0F03, "NTAG213 TagTamper"),
            (0x0004_0404_0100_0F03, "NTAG213F"),
            (0x0053_0405_0100_1303, "Type 2 tag"),
        ] as [(UInt64, String)])
    func names(version: UInt64, name: String) async throws {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: version >> (56 - 8 * $0)) }
        let played = await ScanTagTests.scan(
            [.answer(bytes), .answer(header(size: 6))] + [4, 8, 12].map(block))
        #expect(played.outcome?.kind == name)
        let article = name.hasPrefix("NTAG") ? "An" : "A"
        #expect(played.outcome?.kind.withArticle == "\(article) \(name)")
    }

    @Test("Triple DES tells an Ultralight C from an NTAG203")
    func tripleDES() async throws {
        let start: [ScriptedReader.Reply] = [
            .failure(.refused(0)), .tag(ScanTagTests.identity), .answer(header(size: 0x12)),
        ]
        let blocks = stride(from: UInt8(4), through: 36, by: 4).map(block)
        let challenge = ScriptedReader.Reply.answer([0xAF] + [UInt8](repeating: 7, count: 8))
        let one = await ScanTagTests.scan(start + blocks + [challenge])
        #expect(one.outcome?.kind == "MIFARE Ultralight C")
        let other = await ScanTagTests.scan(start + blocks + [.failure(.tagLost)])
        #expect(other.outcome?.kind == "NTAG203")
    }

    @Test("A tag with a version outside the table is read without another selection")
    func unknownVersion() async throws {
        let version: [UInt8] = [0x00, 0x04, 0x03, 0x01, 0x01, 0x00, 0x0B, 0x03]
        let played = await ScanTagTests.scan(
            [.answer(version), .answer(header(size: 6))] + [4, 8, 12].map(block))
        #expect(played.trace == [[0x60], [0x30, 0], [0x30, 4], [0x30, 8], [0x30, 12]])
        #expect(played.outcome?.version == version)
        #expect(played.outcome?.chip.hasFastRead == false)
    }

    @Test(
        "A tag is read exactly to the end that its capability container states",
        arguments: [1, 2, 3, 0x12, 0x7D, 0x7E] as [UInt8])
    func sizes(size: UInt8) async throws {
        let last = 3 + 2 * size
        let firstPages = Array(stride(from: UInt8(4), through: last, by: 4))
        let blocks = firstPages.map { page in
            // After the end the memory starts again at its beginning.
            ScriptedReader.Reply.answer((0..<4).flatMap { numbered((page &+ $0)...(page &+ $0)) })
        }
        let played = await ScanTagTests.scan(
            [.failure(.refused(0)), .tag(ScanTagTests.identity), .answer(header(size: size))]
                + blocks + [.failure(.refused(0))])
        #expect(
            played.trace
                == [[0x60], [], [0x30, 0]] + firstPages.map { [0x30, $0] } + [[0x1A, 0]])
        #expect(played.outcome?.memory == numbered(4...last))
        #expect(played.unused == 0)
    }

    /// Tickets of buses and fairs have such tags.
    @Test("A tag with an invalid capability container is read as the smallest chip")
    func ticket() async {
        for header in [
            header(size: 0), header(size: 0x7F), header(size: 0xFF), header(size: 6, magic: 0xE0),
            header(size: 6, version: 0x20),
        ] {
            let played = await ScanTagTests.scan(
                [.failure(.refused(0)), .tag(ScanTagTests.identity), .answer(header)]
                    + [4, 8, 12].map(block) + [.failure(.refused(0))])
            #expect(played.outcome?.memory == numbered(4...15))
            #expect(played.outcome?.kind == "MIFARE Ultralight")
            let version: [UInt8] = [0x00, 0x04, 0x03, 0x01, 0x01, 0x00, 0x0B, 0x03]
            let named = await ScanTagTests.scan(
                [.answer(version), .answer(header)] + [4, 8, 12].map(block))
            #expect(named.outcome?.kind == "MIFARE Ultralight EV1")
        }
    }

    @Test("A tag that was swapped is refused")
    func swapped() async {
        let other = TagIdentity(uid: [4, 1, 2, 3, 4, 5, 6])
        let played = await ScanTagTests.scan([.failure(.refused(0)), .tag(other)])
        #expect(played.error?.kind == .otherTag)
        #expect(played.trace == [[0x60], []])
    }

    @Test(
        "The reading of another chip ends at any reader failure",
        arguments: ReaderError.Kind.everyKind)
    func failures(kind: ReaderError.Kind) async {
        let whole: [ScriptedReader.Reply] =
            [.failure(.refused(0)), .tag(ScanTagTests.identity), .answer(header(size: 6))]
            + [4, 8, 12].map(block)
        for step in 1..<whole.count {
            let played = await ScanTagTests.scan(whole.prefix(step) + [.failure(kind)])
            #expect(played.error?.kind == .reader(kind))
            #expect(played.trace.count == step + 1)
        }
    }

    @Test(
        "An answer of the wrong length ends the reading of another chip as garbled",
        arguments: [0, 15, 17, 32])
    func lengths(count: Int) async {
        let start: [ScriptedReader.Reply] = [.failure(.refused(0)), .tag(ScanTagTests.identity)]
        let wrong = ScriptedReader.Reply.answer([UInt8](repeating: 0xE1, count: count))
        let atHeader = await ScanTagTests.scan(start + [wrong])
        #expect(atHeader.error?.kind == .garbled)
        let atBlock = await ScanTagTests.scan(start + [.answer(header(size: 6)), wrong])
        #expect(atBlock.error?.kind == .garbled)
    }
}
