import Tags
import Testing

@Suite("NDEF Text records")
struct NDEFTextTests {
    private static let samples = [
        "", "Hello", "{\"balance\":0.00     }", "é€🎫", "e\u{301}\u{0}",
        // What begins like a byte order mark must not be taken for one.
        "\u{FEFF}A", "\u{FEFF}", "\u{FFFE}A", "\u{FEFF}\u{FEFF}",
    ]

    @Test(
        "A text survives a round trip in either encoding and any language", arguments: samples,
        [NDEFText.Encoding.utf8, .utf16])
    func roundTrip(text: String, encoding: NDEFText.Encoding) throws {
        let languages = ["", "en", "zh-Hans", String(repeating: "x", count: 63)]
        for language in languages {
            let original = NDEFText(language: language, text: text, encoding: encoding)
            let copy = try NDEFText(original.record)
            #expect(copy == original)
            #expect(Array(copy.text.unicodeScalars) == Array(text.unicodeScalars))
        }
    }

    @Test("A text is written in UTF-8 by default")
    func defaultEncoding() {
        let record = NDEFText(language: "en", text: "A€").record
        #expect(record.format == .wellKnown)
        #expect(record.type == [0x54])
        #expect(record.id.isEmpty)
        #expect(record.payload == [0x02, 0x65, 0x6E, 0x41, 0xE2, 0x82, 0xAC])
    }

    @Test("UTF-16 is read in either byte order and written in big-endian order")
    func byteOrders() throws {
        let payloads: [[UInt8]] = [
            [0x80, 0x00, 0x41, 0x20, 0xAC],
            [0x80, 0xFE, 0xFF, 0x00, 0x41, 0x20, 0xAC],
            [0x80, 0xFF, 0xFE, 0x41, 0x00, 0xAC, 0x20],
        ]
        for payload in payloads {
            let text = try NDEFText(record(payload))
            #expect(text == NDEFText(language: "", text: "A€", encoding: .utf16))
            #expect(text.record.payload == payloads[0])
        }
    }

    @Test(
        "A payload that is not a valid text is refused",
        arguments: [
            ("no status byte", []),
            ("reserved bit", [0x42, 0x65, 0x6E, 0x41]),
            ("language longer than the payload", [0x03, 0x65, 0x6E]),
            ("language not ASCII", [0x02, 0xC3, 0xA9, 0x41]),
            ("stray continuation byte", [0x02, 0x65, 0x6E, 0x80]),
            ("cut-off UTF-8", [0x02, 0x65, 0x6E, 0xE2, 0x82]),
            ("overlong UTF-8", [0x02, 0x65, 0x6E, 0xC0, 0xAF]),
            ("surrogate in UTF-8", [0x02, 0x65, 0x6E, 0xED, 0xA0, 0x80]),
            ("odd number of bytes in UTF-16", [0x82, 0x65, 0x6E, 0x00]),
            ("lone surrogate in UTF-16", [0x82, 0x65, 0x6E, 0xD8, 0x3C]),
        ] as [(String, [UInt8])])
    func refusal(_: String, payload: [UInt8]) {
        #expect(throws: NDEFError(.badText)) { try NDEFText(record(payload)) }
    }

    @Test("A record that is not a Text record is refused as text")
    func otherRecord() {
        let payload: [UInt8] = [0x02, 0x65, 0x6E, 0x41]
        let others = [
            NDEFRecord(format: .wellKnown, type: [0x55], payload: payload),
            NDEFRecord(format: .wellKnown, type: [0x54, 0x54], payload: payload),
            NDEFRecord(format: .external, type: [0x54], payload: payload),
        ]
        for other in others {
            #expect(throws: NDEFError(.badType)) { try NDEFText(other) }
        }
    }

    private func record(_ payload: [UInt8]) -> NDEFRecord {
        NDEFRecord(format: .wellKnown, type: [0x54], payload: payload)
    }
}
