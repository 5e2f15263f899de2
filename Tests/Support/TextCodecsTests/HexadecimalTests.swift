import Testing
import TextCodecs

@Suite("Hexadecimal")
struct HexadecimalTests {
    @Test("Every byte is encoded as two uppercase digits and decoded from either case")
    func everyByte() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = Hexadecimal.encode(bytes)
        #expect(text.hasPrefix("000102030405060708090A0B0C0D0E0F10"))
        #expect(text.hasSuffix("FCFDFEFF"))
        #expect(text.count == 512)
        #expect(Hexadecimal.decode(text) == bytes)
        #expect(Hexadecimal.decode(text.lowercased()) == bytes)
    }

    @Test("No bytes are encoded as no digits, and back")
    func nothing() {
        #expect(Hexadecimal.encode([]).isEmpty)
        #expect(Hexadecimal.decode("") == [])
    }

    @Test("A slice of bytes is encoded, and a part of a text is decoded")
    func parts() {
        #expect(Hexadecimal.encode([0x12, 0xAB, 0x34][1...]) == "AB34")
        #expect(Hexadecimal.decode("0xAB".dropFirst(2)) == [0xAB])
    }

    @Test(
        "Text other than pairs of hexadecimal digits is refused",
        arguments: [
            "A", "ABC", "0x12", "12 34", "12\n", "1G", "G1", "/0", ":0", "@A", "`a", "gg", "é",
            "１２",
        ])
    func refusals(text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }
}
