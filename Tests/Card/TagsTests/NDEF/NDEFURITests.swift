import Tags
import Testing

@Suite("NDEF URI records")
struct NDEFURITests {
    @Test("Each URI prefix is read and written as its code", arguments: UInt8(0)...0x23)
    func prefix(code: UInt8) throws {
        let uri = try NDEFURI(record([code] + "rest".utf8))
        #expect(uri.uri == NDEFURI.prefixes[Int(code)] + "rest")
        #expect(uri.record == record([code] + "rest".utf8))
    }

    @Test(
        "The URI prefixes are those of the specification",
        arguments: [
            (0x00, ""), (0x01, "http://www."), (0x04, "https://"), (0x05, "tel:"),
            (0x06, "mailto:"), (0x07, "ftp://anonymous:anonymous@"), (0x0D, "ftp://"),
            (0x10, "telnet://"), (0x13, "urn:"), (0x17, "tftp:"), (0x1D, "file://"),
            (0x1E, "urn:epc:id:"), (0x22, "urn:epc:"), (0x23, "urn:nfc:"),
        ])
    func knownPrefix(code: Int, prefix: String) {
        #expect(NDEFURI.prefixes.count == 36)
        #expect(NDEFURI.prefixes[code] == prefix)
    }

    @Test(
        "A URI is written with the longest prefix that fits",
        arguments: [
            ("https://www.example.com", 0x02), ("https://example.com", 0x04),
            ("ftp://ftp.example.com", 0x08), ("ftp://example.com", 0x0D),
            ("urn:epc:raw:1", 0x21), ("urn:epc:1", 0x22), ("urn:isbn:1", 0x13),
            ("HTTP://example.com", 0x00), ("", 0x00), ("tel:", 0x05),
            ("http://\u{301}", 0x03),
        ] as [(String, UInt8)])
    func longestPrefix(uri: String, code: UInt8) throws {
        let record = NDEFURI(uri).record
        #expect(record.payload.first == code)
        #expect(try NDEFURI(record).uri == uri)
    }

    @Test(
        "A payload that is not a valid URI is refused",
        arguments: [
            ("no prefix byte", []),
            ("first reserved prefix", [0x24, 0x61]),
            ("last reserved prefix", [0xFF, 0x61]),
            ("not UTF-8", [0x04, 0xFF]),
            ("a line feed", [0x04, 0x61, 0x0A]),
            ("the start of an escape sequence", [0x04, 0x1B, 0x5B]),
            ("the same in one character", [0x04, 0xC2, 0x9B]),
        ] as [(String, [UInt8])])
    func refusal(_: String, payload: [UInt8]) {
        #expect(throws: NDEFError(.badURI)) { try NDEFURI(record(payload)) }
    }

    @Test("A record that is not a URI record is refused as a URI")
    func otherRecord() {
        let others = [
            NDEFRecord(format: .wellKnown, type: [0x54], payload: [0x04, 0x61]),
            NDEFRecord(format: .absoluteURI, type: [0x55], payload: [0x04, 0x61]),
        ]
        for other in others {
            #expect(throws: NDEFError(.badType)) { try NDEFURI(other) }
        }
    }

    private func record(_ payload: [UInt8]) -> NDEFRecord {
        NDEFRecord(format: .wellKnown, type: [0x55], payload: payload)
    }
}
