import PN532Emulator
import Tags
import Testing

@Suite("Frames to an emulated tag")
struct EmulatorExchangeTests {
    private static let transmitMode: [UInt8] = [0x63, 0x02]
    private static let receiveMode: [UInt8] = [0x63, 0x03]

    /// A chip that has selected the tag.
    private static func selected() -> EmulatorBench {
        var bench = EmulatorBench()
        #expect(bench.send(EmulatorBench.list)?.first == 0x01)
        return bench
    }

    /// A chip that leaves both checksums to the host.
    private static func withoutChecksum() -> EmulatorBench {
        var bench = selected()
        #expect(bench.send([0x08] + transmitMode + [0x00] + receiveMode + [0x00]) == [])
        return bench
    }

    @Test("InDataExchange reads and writes a tag")
    func dataExchange() {
        var bench = Self.selected()
        #expect(bench.send([0x40, 0x01, 0xA2, 0x10, 1, 2, 3, 4]) == [0x00])
        let zeros = [UInt8](repeating: 0, count: 12)
        #expect(bench.send([0x40, 0x01, 0x30, 0x10]) == [0x00, 1, 2, 3, 4] + zeros)
        #expect(bench.emulation.line.counters.writes == 1)
    }

    @Test("InDataExchange does a COMPATIBILITY_WRITE in two frames")
    func compatibilityWrite() {
        var bench = Self.selected()
        let data = [9, 8, 7, 6] + [UInt8](repeating: 0x55, count: 12)
        #expect(bench.send([0x40, 0x01, 0xA0, 0x11] + data) == [0x00])
        #expect(bench.page(0x11) == Page(9, 8, 7, 6))
    }

    @Test(
        "InDataExchange distinguishes a tag that refuses from one that is gone",
        arguments: [
            [0x40, 0x01, 0x30, 0x50], [0x40, 0x01, 0xA2, 0x00, 1, 2, 3, 4],
            [0x40, 0x01, 0xA0, 0x00] + [UInt8](repeating: 0, count: 16),
        ] as [[UInt8]])
    func refused(command: [UInt8]) throws {
        var bench = Self.selected()
        #expect(bench.send(command) == [0x02])
        #expect(bench.send([0x40, 0x01, 0x30, 0x00]) == [0x01])
        #expect(bench.send(EmulatorBench.list)?.first == 0x01)
        _ = try bench.control("remove")
        #expect(bench.send(command) == [0x01])
    }

    @Test("InDataExchange does not know the commands of the NTAG21x family")
    func unknownToFirmware() {
        var bench = Self.selected()
        #expect(bench.send([0x40, 0x01, 0x3A, 0x00, 0x04]) == [0x27])
        #expect(bench.send([0x40, 0x01, 0x3C, 0x00]) == [0x27])
        #expect(bench.send([0x40, 0x41, 0x30, 0x00]) == [0x27])
        #expect(bench.send([0x40, 0x01, 0x30, 0x00])?.first == 0x00)
        #expect(bench.send([0x40, 0x01, 0x60, 0x00, 1, 2, 3, 4, 5, 6]) == [0x14])
    }

    @Test("InCommunicateThru adds and removes the checksum")
    func through() {
        var bench = Self.selected()
        #expect(
            bench.send([0x42, 0x60]) == [0x00, 0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03])
        #expect(bench.send([0x42, 0x3A, 0x00, 0x2C])?.count == 1 + 45 * 4)
    }

    @Test("An ACK looks like a wrong checksum to a chip that checks, though the page is written")
    func fourBits() {
        var bench = Self.selected()
        #expect(bench.send([0x42, 0xA2, 0x10, 1, 2, 3, 4]) == [0x02])
        #expect(bench.page(0x10) == Page(1, 2, 3, 4))
        #expect(bench.send([0x42, 0xA2, 0x00, 1, 2, 3, 4]) == [0x02])
    }

    @Test("With checksums turned off, the host supplies and receives them")
    func ownChecksum() {
        var bench = Self.withoutChecksum()
        let frame = RadioCRC.appended(to: [0x60])
        let version: [UInt8] = [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03]
        #expect(bench.send([0x42] + frame) == [0x00] + RadioCRC.appended(to: version))
        #expect(bench.send([0x06, 0x63, 0x3C]) == [0x10])
    }

    @Test("An ACK and a NAK arrive as four bits")
    func acknowledge() {
        var bench = Self.withoutChecksum()
        let write = RadioCRC.appended(to: [0xA2, 0x10, 1, 2, 3, 4])
        #expect(bench.send([0x42] + write) == [0x00, 0x0A])
        // The control register says that so many bits of the last byte count.
        #expect(bench.send([0x06, 0x63, 0x3C]) == [0x14])
        let wrong = RadioCRC.appended(to: [0xA2, 0x00, 1, 2, 3, 4])
        #expect(bench.send([0x42] + wrong) == [0x00, 0x00])
        #expect(bench.send([0x42] + write) == [0x01])
    }

    @Test("A frame with a wrong checksum gets NAK 1 and writes nothing", arguments: 0..<8)
    func wrongChecksum(place: Int) {
        var bench = Self.withoutChecksum()
        var frame = RadioCRC.appended(to: [0xA2, 0x10, 1, 2, 3, 4])
        frame[place] ^= 0x10
        #expect(bench.send([0x42] + frame) == [0x00, 0x01])
        #expect(bench.page(0x10) == .zero)
        #expect(bench.send([0x42] + RadioCRC.appended(to: [0x30, 0x00])) == [0x01])
    }

    @Test("A selection turns the checksums on again")
    func selectionRestores() {
        var bench = Self.withoutChecksum()
        #expect(bench.send(EmulatorBench.list)?.first == 0x01)
        #expect(bench.send([0x06] + Self.transmitMode + Self.receiveMode) == [0x80, 0x80])
    }

    @Test("A host can find a card with frames of its own")
    func byHand() {
        var bench = EmulatorBench()
        #expect(bench.send([0x32, 0x01, 0x01]) == [])
        #expect(
            bench.send([0x08] + Self.transmitMode + [0x00] + Self.receiveMode + [0x00]) == [])
        #expect(bench.send([0x08, 0x63, 0x3D, 0x07]) == [])
        #expect(bench.send([0x42, 0x26]) == [0x00, 0x44, 0x00])
        #expect(bench.send([0x08, 0x63, 0x3D, 0x00]) == [])
        #expect(bench.send([0x42, 0x93, 0x20]) == [0x00, 0x88, 0x04, 0xAC, 0x6B, 0x4B])
        #expect(
            bench.send([0x42] + RadioCRC.appended(to: [0x93, 0x70, 0x88, 0x04, 0xAC, 0x6B, 0x4B]))
                == [0x00] + RadioCRC.appended(to: [0x04]))
        #expect(bench.send([0x42, 0x95, 0x30, 0x72]) == [0x00, 0xBA, 0x6C, 0x80, 0x24])
        #expect(
            bench.send([0x42] + RadioCRC.appended(to: [0x95, 0x70, 0x72, 0xBA, 0x6C, 0x80, 0x24]))
                == [0x00] + RadioCRC.appended(to: [0x00]))
        #expect(bench.send([0x42] + RadioCRC.appended(to: [0x30, 0x00]))?.count == 19)
        // HLTA, and then only a wake-up is heard.
        #expect(bench.send([0x42] + RadioCRC.appended(to: [0x50, 0x00])) == [0x01])
        #expect(bench.send([0x08, 0x63, 0x3D, 0x07]) == [])
        #expect(bench.send([0x42, 0x26]) == [0x01])
        #expect(bench.send([0x42, 0x52]) == [0x00, 0x44, 0x00])
    }

    @Test("A host that computes the parity itself is understood and answered")
    func parity() {
        var bench = Self.withoutChecksum()
        #expect(bench.send([0x08, 0x63, 0x0D, 0x10]) == [])
        let command = ParityBits.pack(RadioFrame(bytes: RadioCRC.appended(to: [0x60])))
        #expect(command.bytes.count == 4)
        #expect(bench.send([0x08, 0x63, 0x3D, command.lastBits]) == [])
        let version: [UInt8] = [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03]
        let answer = ParityBits.pack(RadioFrame(bytes: RadioCRC.appended(to: version)))
        #expect(bench.send([0x42] + command.bytes) == [0x00] + answer.bytes)
        #expect(bench.send([0x06, 0x63, 0x3C]) == [0x10 | answer.lastBits])
        #expect(ParityBits.unpack(answer)?.bytes == RadioCRC.appended(to: version))
    }

    @Test("Frames for another kind of card are not answered", arguments: [0x02, 0x03, 0x10])
    func otherFraming(mode: UInt8) {
        var bench = Self.selected()
        #expect(bench.send([0x08] + Self.transmitMode + [0x80 | mode]) == [])
        #expect(bench.send([0x42, 0x30, 0x00]) == [0x01])
    }

    @Test("An answer that fits into no frame is an error, not a partial answer")
    func tooLong() throws {
        var bench = EmulatorBench()
        _ = try bench.control("present NTAG216")
        #expect(bench.send(EmulatorBench.list)?.first == 0x01)
        #expect(bench.send([0x42, 0x3A, 0x00, 0x40])?.count == 1 + 65 * 4)
        #expect(bench.send([0x42, 0x3A, 0x00, 0x41]) == [0x07])
    }

    @Test("A host that fills and starts the unit's buffer finds the answer and its time there")
    func buffer() throws {
        var bench = EmulatorBench()
        #expect(bench.send([0x32, 0x01, 0x01]) == [])
        #expect(bench.send([0x08, 0x63, 0x02, 0x00, 0x63, 0x03, 0x00]) == [])
        // Transceive, an empty buffer, a request of seven bits, and the start.
        let request: [UInt8] = [
            0x08, 0x63, 0x31, 0x0C, 0x63, 0x3A, 0x80, 0x63, 0x39, 0x26, 0x63, 0x3D, 0x87,
        ]
        #expect(bench.send(request) == [])
        #expect(bench.send([0x06, 0x63, 0x3A]) == [2])
        #expect(bench.send([0x06, 0x63, 0x39, 0x63, 0x39, 0x63, 0x3A]) == [0x44, 0x00, 0])
        #expect(bench.send([0x06, 0x63, 0x1E, 0x63, 0x1F]) == [0xF8, 0xAB])
        _ = try bench.control("remove")
        #expect(bench.send(request) == [])
        #expect(bench.send([0x06, 0x63, 0x3A, 0x63, 0x1E, 0x63, 0x1F]) == [0, 0, 0])
    }
}
