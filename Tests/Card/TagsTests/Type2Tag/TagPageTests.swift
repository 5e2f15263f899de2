import Tags
import Testing

@Suite("Pages of a tag") struct TagPageTests {
    @Test("A page keeps its bytes in order and shows them in hexadecimal")
    func keepsItsBytesInOrder() {
        let page = Page(0x01, 0x23, 0xAB, 0xFF)
        #expect(page.bytes == [0x01, 0x23, 0xAB, 0xFF])
        #expect((0..<4).map { page[$0] } == page.bytes)
        #expect(page.description == "01 23 AB FF")
        #expect(Page.zero.bytes == [0, 0, 0, 0])
    }

    @Test("Setting one byte of a page leaves the others unchanged", arguments: 0..<4)
    func changesOneByte(_ index: Int) {
        var page = Page(0x11, 0x22, 0x33, 0x44)
        var bytes = page.bytes
        page[index] = 0xC5
        bytes[index] = 0xC5
        #expect(page.bytes == bytes)
    }

    @Test("A page is made of exactly four bytes", arguments: 0...8)
    func isFourBytesLong(_ count: Int) {
        let bytes = [UInt8](repeating: 7, count: count)
        #expect(Page(bytes)?.bytes == (count == 4 ? bytes : nil))
    }
}
