import CardCryptography
import Testing
import TextCodecs

@Suite("The JSON form of a key ring")
struct KeyRingJSONTests {
    private static let mac = String(repeating: "0A", count: 32)
    private static let pwd = String(repeating: "0B", count: 32)
    private static let key =
        #"{"id":1,"status":"active","created":"now","mac":"\#(mac)","pwd":"\#(pwd)"}"#
    private static let text = #"{"format":"tapcard keys 1","keys":[\#(key)]}"#

    private func ring(_ text: String) throws(KeyError) -> KeyRing {
        try KeyRing(parsing: Array(text.utf8))
    }

    @Test("A key ring is written in the documented JSON form")
    func form() {
        let source = CountingSource(from: 10)
        #expect(KeyRing.fresh(created: "now", random: source.draw).json().text == Self.text)
    }

    @Test("A key ring survives a round trip through JSON with order, status and masters")
    func roundTrip() throws {
        let ring = try KeyRing.fresh(created: "2026-01-01").rotated(created: "2026-02-01")
            .retiring(1).rotated(created: "2026-03-01 \"é\"")
        #expect(try self.ring(ring.json().text) == ring)
        #expect(try self.ring(ring.json().prettyText) == ring)
        #expect(ring.statuses == ["1 retired", "2 verify-only", "3 active"])
    }

    @Test("The currency survives JSON, rotation and merging, and a malformed one is refused")
    func currency() throws {
        let text = Self.text.replacing(#""keys":"#, with: #""currency":"EUR","keys":"#)
        let ring = try ring(text)
        #expect(ring.currencyCode == "EUR" && ring.json().text == text)
        let rotated = try ring.rotated(created: "").retiring(1)
        #expect(rotated.currencyCode == "EUR")
        #expect(try rotated.merging(try self.ring(Self.text)).currencyCode == "EUR")
        #expect(try self.ring(Self.text).currencyCode == nil)
        for wrong in [#""eur""#, #""EURO""#, #""E€""#, "1", "null"] {
            expect(.malformed) { () throws(KeyError) in
                try self.ring(text.replacing(#""EUR""#, with: wrong))
            }
        }
    }

    @Test("An empty key ring has none of the ids that a record can name")
    func none() {
        #expect((UInt8(0)...15).allSatisfy { KeyRing.none.entry($0) == nil })
    }

    @Test("If two keys are active, the later one seals, and a rotation leaves one active")
    func twoActive() throws {
        let other = Self.key.replacing(#""id":1"#, with: #""id":0"#)
        let ring = try ring(#"{"format":"tapcard keys 1","keys":[\#(Self.key),\#(other)]}"#)
        #expect(ring.sealing.id == 0)
        #expect(try ring.retiring(1).statuses == ["1 retired", "0 active"])
        #expect(
            try ring.rotated(created: "").statuses == [
                "1 verify-only", "0 verify-only", "2 active",
            ])
    }

    @Test("A key ring cut short anywhere is refused")
    func truncations() {
        let bytes = Array(Self.text.utf8)
        for count in 0..<bytes.count {
            expect(.malformed) { () throws(KeyError) in
                try KeyRing(parsing: Array(bytes[..<count]))
            }
        }
    }

    @Test(
        "Malformed key ring JSON is refused",
        arguments: [
            (#""format":"#, #""form":"#), (#""tapcard keys 1""#, "1"), (#""keys":["#, #""key":["#),
            (#""keys":["#, #""more":1,"keys":["#), (#""keys":["#, #""format":"","keys":["#),
            (key, ""), (key, "7"), (key, key + "," + key), ("[\(key)]", "{}"),
            (#""id":1,"#, ""), (#""id":1,"#, #""id":16,"#), (#""id":1,"#, #""id":-1,"#),
            (#""id":1,"#, #""id":-0,"#),
            (#""id":1,"#, #""id":1.0,"#), (#""id":1,"#, #""id":"1","#),
            (#""id":1,"#, #""id":256,"#),
            (#""id":1,"#, #""id":1,"extra":true,"#), (#""active""#, #""verify-only""#),
            (#""active""#, #""retired""#), (#""active""#, #""Active""#), (#""active""#, "null"),
            (#""created":"now","#, ""), (#""now""#, "5"), (#""mac":"0A"#, #""mac":""#),
            (#""mac":"0A"#, #""mac":"0A0A"#), (#""mac":"0A"#, #""mac":"0G"#),
            (#""mac":"0A"#, #""mac":"A"#), (#""pwd":"0B"#, #""pwd":"0B0B"#),
            (#""pwd":"0B"#, #""pwd":"00B"#), (#","pwd":"\#(pwd)""#, ""), ("]}", "]} x"),
        ])
    func malformed(part: String, other: String) {
        let text = Self.text.replacing(part, with: other)
        #expect(text != Self.text)
        expect(.malformed) { () throws(KeyError) in try ring(text) }
    }

    @Test("A newer version of the format and another format are told apart from damage")
    func otherFormats() {
        expect(.newerFormat) { () throws(KeyError) in
            try ring(#"{"format":"tapcard keys 2","keys":{}}"#)
        }
        expect(.unknownFormat) { () throws(KeyError) in
            try ring(#"{"format":"other keys 1","keys":{}}"#)
        }
    }

    @Test("Lowercase hexadecimal digits are accepted in a key ring")
    func lowerCase() throws {
        let text = Self.text.replacing(Self.mac, with: Self.mac.lowercased())
        #expect(try ring(text) == ring(Self.text))
    }

    @Test("A refusal of a key ring does not quote a master")
    func details() {
        let text = Self.text.replacing(#""mac":"0A"#, with: #""mac":"0"#)
        let error = #expect(throws: KeyError.self) { try ring(text) }
        #expect(
            error?.description == "member \"mac\" of key 1 must be 64 hexadecimal digits")
    }
}
