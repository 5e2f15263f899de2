import PCSCReader
import Tags
import Testing

@Suite("Answers to reset of storage cards")
struct StorageCardATRTests {
    /// The ATR that readers make up for a MIFARE Ultralight.
    static let ultralight: [UInt8] = [
        0x3B, 0x8F, 0x80, 0x01, 0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06, 0x03, 0x00, 0x03,
        0x00, 0x00, 0x00, 0x00, 0x68,
    ]

    /// An ATR with this standard and name, and the matching check byte.
    static func answer(standard: UInt8, name: UInt16) -> [UInt8] {
        var bytes = ultralight.dropLast()
        bytes[12] = standard
        bytes[13] = UInt8(name >> 8)
        bytes[14] = UInt8(truncatingIfNeeded: name)
        return bytes + [bytes.dropFirst().reduce(0, ^)]
    }

    @Test("An answer to reset gives the card's standard and name")
    func fields() throws {
        let card = try #require(StorageCardATR(Self.ultralight))
        #expect(card.standard == 0x03)
        #expect(card.name == 0x0003)
        #expect(card.isType2)
    }

    @Test("An Ultralight C is a Type 2 tag")
    func successor() {
        #expect(StorageCardATR(Self.answer(standard: 0x03, name: 0x003A))?.isType2 == true)
    }

    @Test(
        "A card with another name or standard is not a Type 2 tag",
        arguments: [(0x03, 0x0001), (0x03, 0x0002), (0x03, 0x0300), (0x04, 0x0003), (0x0B, 0x003A)])
    func others(standard: UInt8, name: UInt16) throws {
        let card = try #require(
            StorageCardATR(Self.answer(standard: standard, name: name)))
        #expect(card.name == name)
        #expect(!card.isType2)
    }

    @Test(
        "A card of another family is named by its kind and is not a Type 2 tag",
        arguments: [
            (0x03, 0x0001, "MIFARE Classic 1K"), (0x03, 0x0002, "MIFARE Classic 4K"),
            (0x03, 0x0026, "MIFARE Mini"), (0x11, 0x003B, "FeliCa card"),
            (0x06, 0x0000, "type B card"), (0x0B, 0x0014, "ISO/IEC 15693 tag"),
        ] as [(UInt8, UInt16, String)])
    func kinds(standard: UInt8, name: UInt16, kind: String) throws {
        let answer = Self.answer(standard: standard, name: name)
        let identity = try #require(
            try StorageCommands().select(answerToReset: answer) { _ throws(ReaderError) in
                [1, 2, 3, 4, 0x90, 0x00]
            })
        #expect(identity.kind == kind && !identity.isType2 && !identity.usesBlocks)
    }

    @Test("An answer to reset of another length is invalid")
    func lengths() {
        for count in 0..<Self.ultralight.count {
            #expect(StorageCardATR(Array(Self.ultralight.prefix(count))) == nil, "\(count) bytes")
        }
        #expect(StorageCardATR(Self.ultralight + [0x00]) == nil)
    }

    @Test("An answer to reset with any byte wrong is invalid")
    func wrongByte() {
        for index in Self.ultralight.indices {
            var bytes = Self.ultralight
            bytes[index] ^= 0x01
            #expect(StorageCardATR(bytes) == nil, "byte \(index)")
        }
    }

    @Test("An answer to reset of another application is invalid despite its correct check byte")
    func otherApplication() {
        for index in 1..<12 {
            var bytes = Self.ultralight
            bytes[index] ^= 0x10
            bytes[19] ^= 0x10
            #expect(StorageCardATR(bytes) == nil, "byte \(index)")
        }
    }
}
