import OtherClients
import PN532Emulator
import SimulatedReader
import Tags
import Testing
import TextCodecs

@Suite("The nfcpy library")
struct NfcpyTests {
    /// A text record: "de", "Hallo".
    private static let message = "D1010854026465" + "48616C6C6F"

    private func run(_ reader: EmulatedReader, _ words: String...) throws -> Client.Ended {
        let device = try #require(reader.devicePath)
        return try Client.nfcpy().run([device] + words)
    }

    @Test("The nfcpy library names the chip of the tag", arguments: Type2Chip.known)
    func name(chip: Type2Chip) throws {
        let reader = try EmulatedReader.start(.fresh)
        defer { reader.stop() }
        _ = reader.control("present \(chip.name)")
        let ended = try run(reader, "name")
        #expect(ended.status == 0)
        #expect(ended.text == "NXP \(chip.name)\n")
    }

    @Test("The nfcpy library writes an NDEF message and reads it back")
    func message() throws {
        let reader = try EmulatedReader.start(.fresh)
        defer { reader.stop() }
        let written = try run(reader, "write", Self.message)
        #expect(written.status == 0, "\(written.text)")
        let tag = try #require(reader.simulation.tags.first)
        let user = tag.chip.userPages.flatMap { tag[$0].bytes }
        let bytes = try #require(Hexadecimal.decode(Self.message))
        #expect(user.starts(with: [0x01, 0x03, 0xA0, 0x0C, 0x34, 0x03, 0x0C] + bytes + [0xFE]))
        #expect(try run(reader, "read").text == Self.message + "\n")
    }

    @Test("The nfcpy library reads pages of the tag")
    func pages() throws {
        let reader = try EmulatedReader.start(.fresh)
        defer { reader.stop() }
        let tag = try #require(reader.simulation.tags.first)
        let pages = (UInt8(0)..<12).flatMap { tag.visible($0).bytes }
        #expect(try run(reader, "pages", "0", "12").text == Hexadecimal.encode(pages) + "\n")
    }

    @Test("The nfcpy library finds no tag on an empty reader")
    func nothing() throws {
        let reader = try EmulatedReader.start(.fresh)
        defer { reader.stop() }
        _ = reader.control("remove")
        let ended = try run(reader, "read")
        #expect(ended.status == 1)
        #expect(ended.text == "no tag\n")
    }
}
