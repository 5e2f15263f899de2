import TapcardDomain
import Testing

@Suite("Unique ids")
struct UniqueIDTests {
    static let text = "0b9f6f1c-6f0e-4a0c-9d52-6a4f0e1b7a11"
    static let bytes: [UInt8] = [
        0x0B, 0x9F, 0x6F, 0x1C, 0x6F, 0x0E, 0x4A, 0x0C, 0x9D, 0x52, 0x6A, 0x4F, 0x0E, 0x1B, 0x7A,
        0x11,
    ]

    @Test("A unique id is written in lower case and read in either case")
    func roundTrip() throws {
        let id = try #require(UniqueID(bytes: Self.bytes))
        #expect(id.description == Self.text)
        #expect(id.bytes == Self.bytes)
        #expect(UniqueID(Self.text) == id)
        #expect(UniqueID(Self.text.uppercased()) == id)
    }

    @Test("A unique id of the wrong length is refused")
    func lengths() {
        for count in (0...40) where count != 16 {
            #expect(UniqueID(bytes: [UInt8](repeating: 1, count: count)) == nil)
            #expect(UniqueID(random: [UInt8](repeating: 1, count: count)) == nil)
        }
        for count in 0..<Self.text.count {
            #expect(UniqueID(String(Self.text.prefix(count))) == nil)
        }
    }

    @Test("A random unique id is marked as version 4", arguments: [UInt8(0x00), 0xFF, 0xA5])
    func version4(byte: UInt8) throws {
        let id = try #require(UniqueID(random: [UInt8](repeating: byte, count: 16)))
        #expect(id.bytes[6] >> 4 == 4 && id.bytes[6] & 0x0F == byte & 0x0F)
        #expect(id.bytes[8] >> 6 == 0b10 && id.bytes[8] & 0x3F == byte & 0x3F)
        let kept = id.bytes.indices.filter { $0 != 6 && $0 != 8 }.map { id.bytes[$0] }
        #expect(kept == [UInt8](repeating: byte, count: 14))
    }

    @Test(
        "Text that is not a unique id is refused",
        arguments: [
            "", "-", "----", "0b9f6f1c6f0e4a0c9d526a4f0e1b7a11",
            "0b9f6f1-c6f0e-4a0c-9d52-6a4f0e1b7a11", "0b9f6f1c-6f0e-4a0c-9d526-a4f0e1b7a11",
            "0b9f6f1c-6f0e-4a0c-9d52-6a4f0e1b7a11-", "-0b9f6f1c-6f0e-4a0c-9d52-6a4f0e1b7a11",
            "{0b9f6f1c-6f0e-4a0c-9d52-6a4f0e1b7a11}", " 0b9f6f1c-6f0e-4a0c-9d52-6a4f0e1b7a11",
            "0b9f6f1g-6f0e-4a0c-9d52-6a4f0e1b7a11", "0b9f6f1c-6f0e-4a0c-9d52-6a4f0e1b7a1\n",
            "０b9f6f1c-6f0e-4a0c-9d52-6a4f0e1b7a11", "+b9f6f1c-6f0e-4a0c-9d52-6a4f0e1b7a11",
            "0b9f6f1c-6f0e-4a0c-9d52-６a4f0e1b7", "00000000-0000-0000-0000-000000000000",
        ])
    func refuses(text: String) {
        #expect(UniqueID(text) == nil)
    }
}
