import Cards
import Tags
import TapcardDomain
import Testing

@Suite("Content of a tag")
struct TagContentTests {
    private func read(_ record: NDEFRecord) throws -> TagContent {
        TagContent(decoding: try area(record), currency: .usd)
    }

    @Test(
        "A tag without a message is empty",
        arguments: [
            "", "00", "00 00 00 00 00", "FE", "03 00", "03 00 FE 00", "03 FF 00 00 FE",
            "01 03 A0 0C 34 03 00 FE", "FD 02 AA BB FE", "03 03 D0 00 00 FE",
            "03 00 FE 00 D1 01 7A 54 02 65 6E 7B",
        ])
    func empty(digits: String) throws {
        let content = TagContent(decoding: try bytes(digits), currency: .usd)
        #expect(content == .empty)
        #expect(content.word == "empty" && content.face == nil)
    }

    @Test(
        "A damaged message is unreadable, with a reason",
        arguments: [
            "03", "03 05", "03 05 D1 01 01 54", "03 FF", "03 FF 00", "03 FF FF FF", "01 03 A0",
            "03 01 D1 FE", "03 04 11 01 00 54 FE", "03 04 D5 01 00 54 FE", "FF FF FF FF",
            "03 06 D1 01 7A 54 02 65 FE",
        ])
    func unreadable(digits: String) throws {
        let content = TagContent(decoding: try bytes(digits), currency: .usd)
        guard case .unreadable(let reason) = content else {
            Issue.record("\(content)")
            return
        }
        #expect(!reason.isEmpty)
        #expect(content.word == "none")
    }

    @Test("A text is read as text even if it resembles a card")
    func text() throws {
        for text in [
            "Hello", "", " {\"balance\":1}", "{", "{}", #"{"id":1}"#, #"{"balance":"#,
            #"{"balance":1,"balance":2}"#, #"{"balance":1}x"#, "山田太郎",
        ] {
            let content = try read(NDEFText(language: "en", text: text).record)
            #expect(content == .text(text))
            #expect(content.word == "text")
        }
        let json = NDEFRecord(
            format: .media, type: Array("application/json".utf8), payload: Array("{]".utf8))
        #expect(try read(json) == .text("{]"))
        #expect(try read(appRecord(#"{"accountValue":01}"#)) == .text(#"{"accountValue":01}"#))
    }

    @Test("An address is read as a URI")
    func uri() throws {
        let content = try read(NDEFURI("https://example.com/{").record)
        #expect(content == .uri("https://example.com/{"))
        #expect(content.word == "uri" && content.face == nil)
    }

    @Test("A record of any other kind is reported as other")
    func other() throws {
        let text = Array("T".utf8)
        let records = [
            NDEFRecord(format: .external, type: Array("example.com:x".utf8), payload: [1]),
            NDEFRecord(format: .media, type: Array("image/png".utf8), payload: Array("{}".utf8)),
            NDEFRecord(format: .media, type: Array("application/json".utf8), payload: [1]),
            NDEFRecord(format: .unknown, payload: Array("{}".utf8)),
            NDEFRecord(format: .absoluteURI, type: Array("http://a".utf8)),
            NDEFRecord(format: .wellKnown, type: Array("U".utf8)),
            NDEFRecord(format: .wellKnown, type: Array("Sp".utf8), payload: [1]),
            NDEFRecord(format: .wellKnown, type: text),
            NDEFRecord(format: .wellKnown, type: text, payload: [0x40]),
            NDEFRecord(format: .wellKnown, type: text, payload: [UInt8(ascii: "{"), 0xFF]),
        ]
        for record in records {
            let content = try read(record)
            #expect(content == .other)
            #expect(content.word == "other" && content.face == nil)
        }
    }

    @Test("Only the first record counts")
    func severalRecords() throws {
        let message = NDEFMessage([NDEFURI("tel:1").record, appRecord(#"{"accountValue":1}"#)])
        let area = TLVArea.encoded(message: try message.encoded())
        #expect(TagContent(decoding: area, currency: .usd) == .uri("tel:1"))
    }

    @Test("A foreign text may extend over the slots of the records")
    func overRecords() throws {
        let text = String(repeating: "no card ", count: 16) + "at all"
        let bytes = try area(NDEFText(language: "en", text: text).record)
        try #require(bytes.count == 144)
        let image = try #require(CardImage(bytes, layout: .ntag213))
        #expect(image.content(in: .usd) == .text(text))
        #expect(image.records.allSatisfy { SealedRecord($0) == nil || $0[0] >> 6 == 1 })
    }

    @Test("A card in tapcard's own form is read and reported as such")
    func card() throws {
        let content = try Example().image(.ntag213).content(in: .usd)
        #expect(content.word == "tapcard")
        #expect(content.face == (try Example().face))
    }
}
