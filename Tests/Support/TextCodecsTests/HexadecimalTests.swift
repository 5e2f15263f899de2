import Testing
import TextCodecs

@Suite("Hexadecimal")
struct HexadecimalTests {
    @Test("Every byte is two upper-case digits, and comes back in either case")
    func everyByte() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = Hexadecimal.encode(bytes)
        #expect(text.hasPrefix("000102030405060708090A0B0C0D0E0F10"))
        #expect(text.hasSuffix("FCFDFEFF"))
        #expect(text.count == 512)
        #expect(Hexadecimal.decode(text) == bytes)
        #expect(Hexadecimal.decode(text.lowercased()) == bytes)
    }

    @Test("No bytes are no digits")
    func nothing() {
        #expect(Hexadecimal.encode([]).isEmpty)
        #expect(Hexadecimal.decode("") == [])
    }

    @Test("A slice and a part of a text will do")
    func parts() {
        #expect(Hexadecimal.encode([0x12, 0xAB, 0x34][1...]) == "AB34")
        #expect(Hexadecimal.decode("0xAB".dropFirst(2)) == [0xAB])
    }

    @Test(
        "Anything but pairs of digits is refused",
        arguments: [
            "A", "ABC", "0x12", "12 34", "12\n", "1G", "G1", "/0", ":0", "@A", "`a", "gg", "é",
            "１２",
        ])
    func refusals(text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }
}
