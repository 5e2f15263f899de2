import Tags
import Testing
import TextCodecs

@Suite("What records mean")
struct RecordContentTests {
    private func content(_ hexadecimal: String) throws -> [RecordContent] {
        let bytes = try #require(Hexadecimal.decode(hexadecimal))
        return try NDEFMessage(decoding: bytes).records.map(RecordContent.init)
    }

    private func media(_ type: String, _ text: String) -> RecordContent {
        RecordContent(.media(type, Array(text.utf8)))
    }

    /// As ndeflib writes it.
    private static let network =
        "D217336170706C69636174696F6E2F766E642E7766612E777363100E002F100300020020100F000200081020"
        + "0006FFFFFFFFFFFF10260001011027000873656372657431321045000443616665"

    @Test("A Wi-Fi network is read and written")
    func wifi() throws {
        let network = WiFiNetwork(name: "Cafe", password: "secret12", security: .wpa)
        #expect(try content(Self.network) == [.wifi([network])])
        for security: WiFiNetwork.Security in [.open, .wep, .wpa, .other(0x0010)] {
            let it = WiFiNetwork(name: "Zoë's", password: "", security: security)
            #expect(RecordContent(it.record) == .wifi([it]))
        }
    }

    @Test("A Wi-Fi record that is cut off, empty, or without a name is not valid")
    func damagedWifi() throws {
        let whole = try #require(Hexadecimal.decode(Self.network)).dropFirst(26)
        for count in 0..<whole.count {
            let record = NDEFRecord.media("application/vnd.wfa.wsc", Array(whole.prefix(count)))
            guard case .invalid = RecordContent(record) else {
                Issue.record("\(count) bytes: \(RecordContent(record))")
                continue
            }
        }
    }

    @Test("A Smart Poster is read with its titles, action, type, and size")
    func smartPoster() throws {
        let poster = try content(
            "D10244537091010C55046578616D706C652E6F72671101085402656E5469746C651101085402646554"
                + "6974656C1103016163740111010473000003E851010974746578742F68746D6C")
        guard case .smartPoster(let it) = try #require(poster.first) else {
            Issue.record("\(poster)")
            return
        }
        #expect(it.uri == "https://example.org" && it.action == .save)
        #expect(it.titles.map(\.text) == ["Title", "Titel"])
        #expect(it.titles.map(\.language) == ["en", "de"])
        #expect(it.size == 1_000 && it.mediaType == "text/html")
        // Without a URI, with two, and with one that is not valid.
        let uri = NDEFURI("https://example.org").record
        let bad = NDEFRecord(format: .wellKnown, type: [0x55], payload: [0x7F])
        for records in [[], [uri, uri], [bad]] {
            let payload = try NDEFMessage(records).encoded()
            let record = NDEFRecord(format: .wellKnown, type: [0x53, 0x70], payload: payload)
            guard case .invalid("Sp", payload, _) = RecordContent(record) else {
                Issue.record("\(records)")
                continue
            }
        }
    }

    @Test("A contact is read field by field")
    func contact() {
        let text =
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada Lovelace\r\nitem1.tel;TYPE=cell:+1 555\r\n  0100"
            + "\r\nNOTE:one\\, two\\nthree\r\nEMAIL;X=\"a:b\":ada@example.org\r\nEND:VCARD\r\n"
        for type in ["text/vcard", "text/x-vCard", "text/vcard; charset=utf-8"] {
            guard case .contact(let card) = media(type, text) else {
                Issue.record("\(type): \(media(type, text))")
                continue
            }
            #expect(card.fields.map(\.name) == ["FN", "TEL", "NOTE", "EMAIL"])
            #expect(
                card.fields.map(\.value) == [
                    "Ada Lovelace", "+1 555 0100", "one, two\nthree", "ada@example.org",
                ])
            #expect(card.fields[1].parameters == "TYPE=cell")
        }
    }

    @Test(
        "A contact that is not complete is not valid",
        arguments: [
            "", "BEGIN:VCARD", "BEGIN:VCARD\nEND:VCARD", "BEGIN:VCARD\nFN:A", "FN:A\nEND:VCARD",
            "BEGIN:VCARD\nFN A\nEND:VCARD", "BEGIN:VCARD\n:A\nEND:VCARD",
            "BEGIN:VCARD\n\u{1B}[2J:A\nEND:VCARD",
        ])
    func damagedContact(_ text: String) {
        guard case .invalid("text/vcard", _, _) = media("text/vcard", text) else {
            Issue.record("\(media("text/vcard", text))")
            return
        }
    }

    @Test("Other records keep their type and their data")
    func others() throws {
        #expect(RecordContent(.androidApp("com.example.app")) == .androidApp("com.example.app"))
        let data: [UInt8] = [5, 2, 3]
        func content(_ format: NDEFRecord.TypeNameFormat, _ type: String) -> RecordContent {
            RecordContent(NDEFRecord(format: format, type: Array(type.utf8), payload: data))
        }
        #expect(content(.media, "image/png") == .media(type: "image/png", data))
        #expect(content(.external, "example.com:x") == .external(type: "example.com:x", data))
        #expect(content(.absoluteURI, "http://a") == .absoluteURI(type: "http://a", data))
        #expect(content(.unknown, "") == .unknown(type: "", data))
        #expect(content(.wellKnown, "Hs") == .unknown(type: "Hs", data))
        #expect(RecordContent(NDEFRecord(format: .empty)) == .empty)
        guard case .invalid("Android.com:PKG", data, _) = content(.external, "Android.com:PKG")
        else {
            Issue.record("control characters in the name of an app")
            return
        }
        guard case .invalid("T", data, _) = content(.wellKnown, "T") else {
            Issue.record("a text whose language is longer than the text")
            return
        }
    }
}
