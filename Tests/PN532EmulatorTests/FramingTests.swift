import Testing

@testable import PN532Emulator

@Suite("Frames of the serial line")
struct FramingTests {
    private static let version = Bench.frame([0x02])
    private static let versionAnswer = Bench.answer([0x03, 0x32, 0x01, 0x06, 0x07])

    @Test("a command is acknowledged and answered")
    func command() {
        var bench = Bench()
        #expect(Self.version == [0x00, 0x00, 0xFF, 0x02, 0xFE, 0xD4, 0x02, 0x2A, 0x00])
        #expect(bench.raw(Self.version) == Bench.acknowledge + Self.versionAnswer)
    }

    @Test("bytes may come one by one")
    func bytewise() {
        var bench = Bench()
        var answer: [UInt8] = []
        for byte in Self.version { answer += bench.raw([byte]) }
        #expect(answer == Bench.acknowledge + Self.versionAnswer)
    }

    @Test("a frame that was cut off is nothing, and the next one is understood", arguments: 0..<8)
    func truncation(length: Int) {
        var bench = Bench()
        #expect(bench.raw(Array(Self.version.prefix(length))).isEmpty == (length < 8))
        if length < 8 {
            #expect(bench.raw(Self.version) == Bench.acknowledge + Self.versionAnswer)
        }
    }
}
