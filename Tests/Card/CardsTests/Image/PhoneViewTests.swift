import Cards
import Tags
import Testing

@Suite("What a phone shows of a tag") struct PhoneViewTests {
    @Test("A phone shows an address, a text, nothing, or something else")
    func views() throws {
        let link = try NDEFMessage([NDEFURI("https://cards.example/c?p=1").record]).encoded()
        #expect(PhoneView(message: link) == .address("https://cards.example/c?p=1"))
        let text = try NDEFMessage([NDEFText(language: "en", text: "Amanda").record]).encoded()
        #expect(PhoneView(message: text) == .text("Amanda"))
        let area = [0x03, UInt8(text.count)] + text + [0xFE]
        #expect(PhoneView(area: area) == .text("Amanda"))
        #expect(PhoneView(message: []) == .nothing)
        #expect(PhoneView(area: [0x03, 0x00, 0xFE, 0x00]) == .nothing)
        #expect(PhoneView(area: []) == .nothing)
        // The empty record of a formatted tag.
        #expect(PhoneView(message: [0xD0, 0, 0]) == .nothing)
        for count in 1..<link.count {
            #expect(PhoneView(message: Array(link.prefix(count))) == .other, "\(count)")
        }
        let other = try NDEFMessage([
            NDEFRecord(format: .media, type: Array("image/png".utf8), payload: [1, 2])
        ]).encoded()
        #expect(PhoneView(message: other) == .other)
    }
}
