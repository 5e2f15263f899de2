import PN532Emulator
import SimulatedReader
import Testing

@Suite("Host frames on the serial line")
struct FramingTests {
    private static let version = EmulatorBench.frame([0x02])
    private static let versionAnswer = EmulatorBench.answer([0x03, 0x32, 0x01, 0x06, 0x07])
    private static let answered = EmulatorBench.acknowledge + versionAnswer
    private static let syntaxError: [UInt8] = [0x00, 0x00, 0xFF, 0x01, 0xFF, 0x7F, 0x81, 0x00]
    private static let refuse: [UInt8] = [0x00, 0x00, 0xFF, 0xFF, 0x00, 0x00]

    @Test("A command is acknowledged and answered")
    func command() {
        var bench = EmulatorBench()
        #expect(Self.version == [0x00, 0x00, 0xFF, 0x02, 0xFE, 0xD4, 0x02, 0x2A, 0x00])
        #expect(bench.raw(Self.version) == Self.answered)
    }

    @Test("Bytes may arrive one by one, and several commands at once")
    func pieces() {
        var bench = EmulatorBench()
        var answer: [UInt8] = []
        for byte in Self.version { answer += bench.raw([byte]) }
        #expect(answer == Self.answered)
        #expect(bench.raw(Self.version + Self.version) == Self.answered + Self.answered)
    }

    @Test("A frame that was cut off is ignored, and the next one is understood", arguments: 0..<8)
    func truncation(length: Int) {
        var bench = EmulatorBench()
        #expect(bench.raw(Array(Self.version.prefix(length))).isEmpty)
        #expect(bench.raw(Self.version) == Self.answered)
    }

    @Test(
        "A frame with one wrong byte gets no answer, and the next one is understood",
        arguments: [1, 2, 3, 4, 5, 6, 7])
    func damage(place: Int) {
        for change in UInt8(1)...255 {
            var bench = EmulatorBench()
            var damaged = Self.version
            damaged[place] ^= change
            let answer = bench.raw(damaged)
            #expect(answer != Self.answered, "\(change)")
            #expect(answer.isEmpty, "\(change)")
            // Some beginnings promise a frame that is longer: what follows cannot tell.
            _ = bench.raw([UInt8](repeating: 0, count: HostFrame.maximumDataLength + 10))
            #expect(bench.raw(Self.version) == Self.answered, "\(change)")
        }
    }

    @Test("Noise between frames is harmless")
    func noise() {
        var bench = EmulatorBench()
        let noise: [UInt8] = [
            0x00, 0xFF, 0x13, 0x00, 0xFF, 0xFF, 0xFF, 0x01, 0x02, 0x03, 0xFF, 0x00,
        ]
        #expect(
            bench.raw(noise + Self.version + noise + Self.version) == Self.answered + Self.answered)
    }

    @Test("Long data takes an extended frame in both directions")
    func extended() {
        var bench = EmulatorBench()
        let data = [0x00] + (0..<262).map { UInt8(truncatingIfNeeded: $0) }
        let frame = EmulatorBench.frame([0x00] + data)
        #expect(frame.prefix(8) == [0x00, 0x00, 0xFF, 0xFF, 0xFF, 0x01, 0x09, 0xF6])
        #expect(bench.send([0x00] + data) == data)
    }

    @Test("A normal frame carries 255 bytes, and an extended one may carry fewer")
    func lengths() {
        #expect(HostFrame.information([UInt8](repeating: 1, count: 255))[3...4] == [0xFF, 0x01])
        var bench = EmulatorBench()
        let frame: [UInt8] = [0x00, 0xFF, 0xFF, 0xFF, 0x00, 0x02, 0xFE, 0xD4, 0x02, 0x2A, 0x00]
        #expect(bench.raw(frame) == Self.answered)
    }

    @Test("A frame of no bytes, or of too many, is damaged", arguments: [0, 266, 0xFFFF])
    func impossibleLength(length: Int) {
        var bench = EmulatorBench()
        let (high, low) = (UInt8(length >> 8), UInt8(truncatingIfNeeded: length))
        let frame: [UInt8] = [0x00, 0xFF, 0xFF, 0xFF, high, low, 0 &- (high &+ low)]
        #expect(bench.raw(frame + Self.version) == Self.answered)
        #expect(bench.emulation.line.counters.damagedFrames == 1)
    }

    @Test("A NACK repeats the last answer, or nothing if there was none")
    func repeated() {
        var bench = EmulatorBench()
        #expect(bench.raw(Self.refuse).isEmpty)
        _ = bench.raw(Self.version)
        #expect(bench.raw(Self.refuse) == Self.versionAnswer)
        #expect(bench.raw(Self.refuse) == Self.versionAnswer)
    }

    @Test(
        "A frame that is not a command is a syntax error",
        arguments: [[0xD4], [0xD5, 0x02], [0xD4, 0x01], [0xD4, 0xFF]] as [[UInt8]])
    func syntax(data: [UInt8]) {
        var bench = EmulatorBench()
        #expect(
            bench.raw(HostFrame.information(data)) == EmulatorBench.acknowledge + Self.syntaxError)
        #expect(bench.raw(Self.version) == Self.answered)
    }

    @Test("A sleeping chip hears nothing until it has seen five edges")
    func sleeping() {
        var emulation = Emulation(.fresh)
        #expect(emulation.line.receive(Self.version).isEmpty)
        // That frame had edges enough, so the next one is heard.
        #expect(emulation.line.receive(Self.version).flatMap(\.bytes) == Self.answered)
        emulation = Emulation(.fresh)
        #expect(emulation.line.receive([0, 0, 0, 0]).isEmpty)
        #expect(
            emulation.line.receive(Array(Self.version.prefix(1)) + Self.version)
                .flatMap(\.bytes) == Self.answered)
    }

    @Test("PowerDown is answered, and then the chip sleeps")
    func powerDown() {
        var bench = EmulatorBench()
        #expect(bench.send([0x16, 0xF0]) == [0x00])
        #expect(bench.raw(Self.version).isEmpty)
        #expect(bench.send([0x16, 0xF0]) == [0x00])
        #expect(bench.raw(EmulatorBench.wakeUp + Self.version) == Self.answered)
    }

    @Test("A new speed takes effect once its answer is acknowledged")
    func speed() {
        var bench = EmulatorBench()
        #expect(bench.send([0x10, 0x07]) == [])
        #expect(bench.emulation.line.speed == 115_200)
        _ = bench.raw(EmulatorBench.acknowledge)
        #expect(bench.emulation.line.speed == 921_600)
        #expect(
            bench.raw(EmulatorBench.frame([0x10, 0x09])) == EmulatorBench.acknowledge
                + Self.syntaxError)
    }
}
