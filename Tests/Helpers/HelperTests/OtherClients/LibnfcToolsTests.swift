import Glibc
import OtherClients
import PN532Emulator
import SimulatedReader
import Tags
import Testing

@Suite("The command-line tools of libnfc")
struct LibnfcToolsTests {
    private static let uid = "04  ac  6b  72  ba  6c  80"

    /// A file in /tmp that is removed when the test ends.
    private final class File {
        let path = "/tmp/tapcard-\(getpid())-\(UInt64.random(in: 0...UInt64.max)).mfd"
        deinit { unsafe unlink(path) }

        func read() throws -> [UInt8] {
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
            return Array(bytes.prefix(max(count, 0)))
        }

        func write(_ bytes: [UInt8]) throws {
            let descriptor = unsafe open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            try #require(unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        }
    }

    private func list(_ reader: EmulatedReader) throws -> Client.Ended {
        try Client.libnfc("nfc-list").run([], device: reader.connectionString)
    }

    @Test("The nfc-list tool identifies the tag on the reader")
    func tag() throws {
        let reader = try EmulatedReader.start(.fresh)
        defer { reader.stop() }
        let ended = try list(reader)
        #expect(ended.status == 0)
        #expect(ended.text.contains("1 ISO14443A passive target(s) found"))
        #expect(ended.text.contains("ATQA (SENS_RES): 00  44"))
        #expect(ended.text.contains("UID (NFCID1): \(Self.uid)"))
        #expect(ended.text.contains("SAK (SEL_RES): 00"))
    }

    @Test("The nfc-list tool finds no tag on an empty reader, and both of two tags")
    func count() throws {
        let reader = try EmulatedReader.start(.fresh)
        defer { reader.stop() }
        _ = reader.control("remove")
        #expect(try list(reader).text.contains("passive target(s) found") == false)
        _ = reader.control("present 04AC6B72BA6C80 NTAG215")
        #expect(try list(reader).text.contains("2 ISO14443A passive target(s) found"))
    }

    @Test(
        "The nfc-list tool identifies other kinds of cards",
        arguments: [
            ("classic", ["ATQA (SENS_RES): 00  04", "9a  3c  51  7e", "SAK (SEL_RES): 08"]),
            ("type4", ["ATQA (SENS_RES): 03  44", "SAK (SEL_RES): 20", "ATS: 75  77  81  02  80"]),
            (
                "NTAG424",
                ["ATQA (SENS_RES): 03  44", "SAK (SEL_RES): 20", "ATS: 77  77  71  02  80"]
            ),
        ] as [(String, [String])])
    func foreign(card: String, words: [String]) throws {
        let reader = try EmulatedReader.start(.fresh)
        defer { reader.stop() }
        _ = reader.control("present \(card)")
        let text = try list(reader).text
        for word in words { #expect(text.contains(word), "\(text)") }
    }

    @Test("The nfc-poll tool finds a tag and notices that it is gone")
    func poll() throws {
        let reader = try EmulatedReader.start(.fresh)
        defer { reader.stop() }
        _ = reader.control("fault frame 3 lost")
        let ended = try Client.libnfc("nfc-poll").run([], device: reader.connectionString)
        #expect(ended.text.contains("UID (NFCID1): \(Self.uid)"), "\(ended.text)")
        #expect(ended.text.hasSuffix("done.\n"))
    }

    @Test("The nfc-mfultralight tool reads every page", arguments: Type2Chip.known)
    func read(chip: Type2Chip) throws {
        var world = Simulation()
        let tag = try #require(
            world.addTag(chip) { count in [UInt8](repeating: 0x31, count: count) })
        world.put([tag.uid])
        let reader = try EmulatedReader.start(world)
        defer { reader.stop() }
        let file = File()
        let ended = try Client.libnfc("nfc-mfultralight")
            .run(["r", file.path], device: reader.connectionString)
        #expect(ended.status == 0)
        #expect(ended.text.contains("(0 pages failed)"))
        let pages = (0..<UInt8(chip.pageCount)).flatMap { tag.visible($0).bytes }
        // The program leaves the pages of the password and of PACK as it was given them: empty.
        #expect(try file.read() == pages)
        let (dump, format) = try TagDump.reading(file.read())
        #expect(format == .raw && dump.chip == chip && dump.uid == tag.uid)
        #expect(dump.pages == TagDump(tag).pages)
    }

    @Test("The nfc-mfultralight tool writes pages that stay on the tag")
    func write() throws {
        let reader = try EmulatedReader.start(.fresh)
        defer { reader.stop() }
        let file = File()
        let tool = try Client.libnfc("nfc-mfultralight")
        _ = try tool.run(["r", file.path], device: reader.connectionString)
        var dump = try file.read()
        for place in 0x10 * 4..<0x18 * 4 { dump[place] = UInt8(place) }
        try file.write(dump)
        let ended = try tool.run(
            ["w", file.path], device: reader.connectionString,
            answers: String(repeating: "n\n", count: 8))
        #expect(ended.status == 0, "\(ended.text)")
        let tag = try #require(reader.simulation.tags.first)
        for page in UInt8(0x10)..<0x18 {
            #expect(tag[page].bytes == (0..<4).map { page * 4 + $0 })
        }
        #expect(tag[0x18] == .zero)
        #expect(reader.counters.dataCommands > 36)
    }
}
