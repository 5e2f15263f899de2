import Cards
import TapcardDomain
import Testing

@Suite("The layout of a card on its chip")
struct CardLayoutTests {
    @Test("An NTAG213 has room for 102 bytes of JSON")
    func small() {
        let layout = CardLayout.ntag213
        #expect(layout.pages == 0x04...0x27)
        #expect(layout.ndefPages == 0x04...0x1F)
        #expect(layout.recordPages == [0x20, 0x24])
        #expect([layout.byteCount, layout.ndefByteCount, layout.jsonCapacity] == [144, 112, 102])
    }

    @Test("Larger chips have room for 206 bytes of JSON")
    func larger() {
        let layout = CardLayout.larger
        #expect(layout.pages == 0x04...0x41)
        #expect(layout.ndefPages == 0x04...0x39)
        #expect(layout.recordPages == [0x3A, 0x3E])
        #expect([layout.byteCount, layout.ndefByteCount, layout.jsonCapacity] == [248, 216, 206])
    }

    @Test("The layout follows from the chip")
    func chips() {
        #expect(CardLayout(.ntag213) == .ntag213)
        #expect(CardLayout(.ntag215) == .larger)
        #expect(CardLayout(.ntag216) == .larger)
    }

    @Test(
        "An image is made from exactly the bytes of its layout",
        arguments: [CardLayout.ntag213, .larger])
    func image(layout: CardLayout) throws {
        let bytes = (0..<layout.byteCount).map { UInt8($0) }
        let image = try #require(CardImage(bytes, layout: layout))
        #expect(image.area + image.records.joined() == bytes)
        #expect(image.area.count == layout.ndefByteCount)
        #expect(image.records.map(\.count) == [16, 16])
        for count in 0..<300 where count != layout.byteCount {
            #expect(CardImage([UInt8](repeating: 0, count: count), layout: layout) == nil)
        }
    }
}
