import CardCryptography
import Testing
import TextCodecs

@Suite("Keys of the customer page") struct CustomerKeyTests {
    private static let ring = KeyRing.fresh(created: "2026-11-25") { count in
        (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    }

    /// Cards carry these keys for years, so their derivation must never change.
    @Test("A known key ring gives the known customer keys")
    func staysWhatItIs() throws {
        let pair = try #require(CustomerKeys(of: CustomerKeyTests.ring).pairs.first)
        #expect(pair.id == 1)
        #expect(Hexadecimal.encode(pair.meta.copyOfBytes()) == CustomerKeyTests.meta)
        #expect(Hexadecimal.encode(pair.file.copyOfBytes()) == CustomerKeyTests.file)
    }

    private static let meta = "0C9F28DC76264766F4AABD0B7E4AF47F"
    private static let file = "4D564A576B083D761F46B26F06BE2EE0"

    @Test("Customer keys survive a round trip through JSON and reveal no issuer secret")
    func isReadAsItWasWritten() throws {
        let rotated = try CustomerKeyTests.ring.rotated(created: "2026-11-26")
        for ring in [CustomerKeyTests.ring, rotated, try rotated.retiring(1)] {
            let keys = CustomerKeys(of: ring)
            #expect(keys.pairs.count == ring.entries.count { $0.status != .retired })
            let text = keys.json().prettyText
            #expect(try CustomerKeys(parsing: Array(text.utf8)) == keys)
            // No secret of the issuer is in it.
            for masters in ring.entries.map(\.masters) {
                #expect(!text.contains(Hexadecimal.encode(masters.macMaster)))
                #expect(!text.contains(Hexadecimal.encode(masters.passwordMaster)))
            }
            #expect(!"\(keys)".contains(Hexadecimal.encode(keys.pairs[0].meta.copyOfBytes())))
        }
    }

    @Test("Customer keys that are cut short or malformed are refused")
    func isRefusedWhereItIsAnythingElse() throws {
        let text = CustomerKeys(of: CustomerKeyTests.ring).json().text
        for count in 0..<text.utf8.count {
            #expect(throws: KeyError.self) {
                try CustomerKeys(parsing: Array(text.utf8.prefix(count)))
            }
        }
        for (old, new) in [
            ("keys 1", "keys 2"), ("\"id\":1", "\"id\":16"), ("\"id\":1", "\"id\":-0"),
            ("\"meta\"", "\"mac\""), ("\"file\":\"", "\"file\":\"0"), ("\"id\"", "\"ID\""),
            ("}]", "}],\"x\":1"), ("[{", "[1,{"), ("\"meta\":\"", "\"meta\":\"g"),
            ("{\"id\"", "{\"x\":1,\"id\""),
        ] {
            #expect(text.contains(old), "\(old)")
            #expect(throws: KeyError.self, "\(new)") {
                try CustomerKeys(parsing: Array(text.replacing(old, with: new).utf8))
            }
        }
        #expect(throws: KeyError.self) {
            try CustomerKeys(
                parsing: Array(#"{"format":"tapcard customer keys 1","keys":[]}"#.utf8))
        }
        let key = text.drop { $0 != "[" }.dropFirst().prefix { $0 != "]" }
        #expect(throws: KeyError.self) {
            try CustomerKeys(parsing: Array(text.replacing(key, with: "\(key),\(key)").utf8))
        }
    }
}
