import SimulatedReader
import Tags
import Testing
import TextCodecs

@Suite("What is shown of the content of a tag")
struct TagReadCommandTests {
    private static let password = "opensesame"
    private static let wifi = WiFiNetwork(name: "Xaf", password: password, security: .wpa).record

    /// A bench with this message on the tag.
    private func bench(_ message: [UInt8]) async throws -> ProgramBench {
        let uid: [UInt8] = [0x04, 1, 2, 3, 4, 5, 6]
        var tag = try #require(TagMemory.blank(.ntag216, uid: uid))
        let area = TLVArea.encoded(message: message)
        let bytes = area + [0, 0, 0]
        for (index, start) in stride(from: 0, to: area.count, by: 4).enumerated() {
            tag[UInt8(4 + index)] = try #require(Page(bytes[start..<start + 4]))
        }
        let bench = try ProgramBench()
        try await bench.reader.change { [tag] world in
            world.save(tag)
            world.put([uid])
        }
        return bench
    }

    private static func poster(_ records: NDEFRecord...) throws -> NDEFRecord {
        NDEFRecord(
            format: .wellKnown, type: Array("Sp".utf8),
            payload: try NDEFMessage(records).encoded())
    }

    /// Messages that contain the Wi-Fi password.
    private static func messages() throws -> [(name: String, bytes: [UInt8])] {
        func message(_ records: NDEFRecord...) throws -> [UInt8] {
            try NDEFMessage(records).encoded()
        }
        let type = String(decoding: wifi.type, as: UTF8.self)
        let link = NDEFURI("https://example.com").record
        var cutOff = try message(link, wifi)
        let start = try message(link).count
        cutOff[start + 2] = 0xFF
        let parts = try poster(wifi, link).payload
        // The first chunk ends in the middle of the type of the record inside.
        let chunks: [UInt8] =
            [0xB1, 2, 13] + Array("Sp".utf8) + parts.prefix(13)
            + [0x56, 0, UInt8(parts.count - 13)] + parts.dropFirst(13)
        return [
            ("valid", try message(wifi)),
            ("capitals", try message(.media(type.uppercased() + ";a=b", wifi.payload))),
            ("stray byte", try message(.media(type, wifi.payload + [0]))),
            (
                "Latin-1 name",
                try message(
                    .media(type, wifi.payload.map { $0 == UInt8(ascii: "X") ? 0xE9 : $0 }))
            ),
            ("Smart Poster", try message(poster(link, wifi))),
            ("Smart Poster without a link", try message(poster(wifi))),
            ("chunks", chunks),
            ("second record cut off", cutOff),
            ("no complete record", Array(cutOff.dropFirst(start))),
            ("inside another type", try message(.media("a/b", try message(wifi)))),
        ]
    }

    @Test("A Wi-Fi password is shown only with --show-secrets")
    func secrets() async throws {
        let digits = Hexadecimal.encode(Array(Self.password.utf8))
        for (name, bytes) in try Self.messages() {
            let bench = try await bench(bytes)
            for line in ["tag read", "tag read --json", "tag read --raw", "tag read --raw --json"] {
                let ended = await bench.run(line)
                #expect(
                    !ended.text.contains(Self.password) && !ended.text.contains(digits),
                    "\(name): \(ended.text)")
                #expect(ended.status == (line.hasSuffix("--raw") ? 2 : 0), "\(name): \(line)")
            }
            #expect(try await bench.document("tag read")["message"] == .null, "\(name)")
            #expect(await bench.run("tag read --raw").text.contains("add --show-secrets"))
            let shown = try await bench.document("tag read --show-secrets")
            #expect(shown["message"]?.string == Hexadecimal.encode(bytes), "\(name)")
            let raw = await bench.run("tag read --raw --show-secrets")
            #expect(raw.status == 0 && raw.text.contains(Self.password), "\(name)")
        }
    }

    @Test("Writing a Wi-Fi record does not print its password")
    func written() async throws {
        let bench = try ProgramBench()
        let file = try bench.write("WIFI:S:Xaf;T:WPA;P:\(Self.password);;", to: "wifi.txt")
        for wasThere in [false, true] {
            let written = try await bench.document("tag write --wifi \(file)")
            #expect(written["wasThere"]?.bool == wasThere && written["message"] == .null)
        }
    }

    @Test("A tag cannot add lines to what is printed")
    func lines() async throws {
        let forged = "A\nLink: https://bank.example"
        let records = [
            NDEFText(language: "en", text: forged).record,
            NDEFText(language: forged, text: "Shop").record,
            try Self.poster(
                NDEFURI("https://example.com").record, NDEFText(language: "en", text: forged).record
            ),
            .media(
                "text/vcard",
                Array("BEGIN:VCARD\r\nFN:A\\nLink: https://bank.example\r\nEND:VCARD".utf8)),
            WiFiNetwork(name: forged, password: "", security: .open).record,
            .media("a/b" + forged, [1]),
            NDEFRecord(format: .external, type: Array(("a:b" + forged).utf8), payload: [1]),
            NDEFRecord(format: .absoluteURI, type: Array(("a:b" + forged).utf8), payload: [1]),
            NDEFRecord(format: .wellKnown, type: Array(("b" + forged).utf8), payload: [1]),
        ]
        for record in records {
            let read = try await bench(NDEFMessage([record]).encoded()).run("tag read").text
            #expect(read.contains(#"A\u{A}Link: https://bank.example"#), "\(read)")
            #expect(!read.split(separator: "\n").contains { $0.hasPrefix("Link: https://bank") })
        }
    }
}
