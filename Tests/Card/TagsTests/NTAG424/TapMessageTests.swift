import CardCryptography
import Tags
import TapcardDomain
import Testing
import TextCodecs

@Suite("Messages that an NTAG 424 writes into its URL")
struct TapMessageTests {
    struct Example: Sendable {
        let encrypted: String
        let metaKey: String
        let fileKey: String
        let uid: String
        let reads: UInt32
        let filling: String
        /// The text that the code protects.
        let protected: String
        let code: String
    }

    private static let zeros = String(repeating: "0", count: 32)

    /// AN12196, tables 2 to 4, its example with file data, and a card with individual keys from
    /// the tests of nfc-developer/sdm-backend.
    static let examples = [
        Example(
            encrypted: "EF963FF7828658A599F3041510671E88", metaKey: zeros, fileKey: zeros,
            uid: "04DE5F1EACC040", reads: 61, filling: "DA5CF60941", protected: "",
            code: "94EED9EE65337086"),
        Example(
            encrypted: "FD91EC264309878BE6345CBE53BADF40", metaKey: zeros, fileKey: zeros,
            uid: "04958CAA5C5E80", reads: 8, filling: "",
            protected: "CEE9A53E3E463EF1F459635736738962&cmac=", code: "ECC1E7F6C6C73BF6"),
        Example(
            encrypted: "8ACADDEF0A9B62CDAE39A16B83FC14DE",
            metaKey: "42aff114f2cb3b6141be6dc95dfc5416",
            fileKey: "b62a9baf092439bd43c62aee96b970c5", uid: "041D3C8A2D6B80", reads: 291,
            filling: "", protected: "B8436E11F627BB7F543FCC0C1E0D1A89",
            code: "238B2543A8DEBAD8"),
    ]

    @Test("Published identities and codes are reproduced", arguments: examples)
    func published(example: Example) throws {
        let metaKey = key(example.metaKey)
        let encrypted = bytes(example.encrypted)
        let identity = try #require(TapIdentity(decrypting: encrypted, key: metaKey))
        #expect(identity.uid.bytes == bytes(example.uid))
        #expect(identity.reads == example.reads)
        let filling = Array(metaKey.decrypt(encrypted).suffix(5))
        #expect(example.filling.isEmpty || filling == bytes(example.filling))
        #expect(identity.encrypted(key: metaKey, filling: filling) == encrypted)
        let keys = TapKeys(fileKey: key(example.fileKey), identity: identity)
        #expect(keys.code(for: example.protected) == bytes(example.code))
        #expect(keys.accepts(bytes(example.code), for: example.protected))
        #expect(!keys.accepts(bytes(example.code), for: example.protected + "0"))
    }

    @Test("A card that mirrors UID and count in clear text gets the published code")
    func clear() throws {
        let uid = try #require(CardUID(bytes: bytes("041E3C8A2D6B80")))
        let identity = try #require(TapIdentity(uid: uid, reads: 6))
        let keys = TapKeys(fileKey: factoryKey, identity: identity)
        #expect(keys.code(for: "") == bytes("4B00064004B0B3D3"))
    }

    @Test(
        "Published file data is decrypted and encrypted",
        arguments: [
            (1, "CEE9A53E3E463EF1F459635736738962", "78787878787878787878787878787878"),
            (2, "B8436E11F627BB7F543FCC0C1E0D1A89", "4e545858716e6f5f6f42467077792d56"),
        ])
    func fileData(index: Int, encrypted: String, plain: String) throws {
        let example = Self.examples[index]
        let identity = try #require(
            TapIdentity(decrypting: bytes(example.encrypted), key: key(example.metaKey)))
        let keys = TapKeys(fileKey: key(example.fileKey), identity: identity)
        #expect(keys.decrypt(bytes(encrypted)) == bytes(plain))
        #expect(keys.encrypt(bytes(plain)) == bytes(encrypted))
    }

    private static let metaKey = key("00112233445566778899AABBCCDDEEFF")
    private static let fileKey = key("0123456789ABCDEF0123456789ABCDEF")

    private func content(reads: UInt32 = 77) throws -> TapMessage.Content {
        let uid = try #require(CardUID(bytes: bytes("04782E21801D80")))
        let identity = try #require(TapIdentity(uid: uid, reads: reads))
        return TapMessage.Content(identity: identity, fileData: Array(0..<32))
    }

    private func message(reads: UInt32 = 77) throws -> TapMessage {
        TapMessage(
            try content(reads: reads), metaKey: Self.metaKey, fileKey: Self.fileKey,
            filling: [1, 2, 3, 4, 5])
    }

    @Test(
        "A message that was made is verified",
        arguments: [0, 1, 0xFF, 0x1_0000, 0xFF_FFFF] as [UInt32])
    func bothWays(reads: UInt32) throws {
        let made = try message(reads: reads)
        #expect(made.query == "p=\(made.identity)&d=\(made.data)&m=\(made.code)")
        let received = try TapMessage(
            identity: made.identity, data: made.data, code: made.code)
        let content = try received.verify(metaKey: Self.metaKey) { uid in
            #expect(uid.bytes == bytes("04782E21801D80"))
            return Self.fileKey
        }
        #expect(content == (try self.content(reads: reads)))
    }

    @Test("A count above 24 bits and a UID of the wrong length are refused")
    func limits() throws {
        let uid = try #require(CardUID(bytes: bytes("04782E21801D80")))
        #expect(TapIdentity(uid: uid, reads: 0x100_0000) == nil)
        for count in 0...16 where count != 7 {
            #expect(CardUID(bytes: [UInt8](repeating: 4, count: count)) == nil)
        }
    }

    @Test("A message with any digit changed is refused")
    func changed() throws {
        let made = try message()
        let values = [made.identity, made.data, made.code]
        for (index, value) in values.enumerated() {
            for place in 0..<value.count {
                var digits = Array(value)
                digits[place] = digits[place] == "0" ? "1" : "0"
                var changed = values
                changed[index] = String(digits)
                let received = try TapMessage(
                    identity: changed[0], data: changed[1], code: changed[2])
                #expect(throws: TapMessage.Refusal.self, "\(index) \(place)") {
                    _ = try received.verify(metaKey: Self.metaKey) { _ in Self.fileKey }
                }
            }
        }
    }

    @Test("A message mixed from two taps, or checked with other keys, is refused")
    func others() throws {
        let made = try message()
        let other = try message(reads: 78)
        let mixed = try TapMessage(identity: made.identity, data: made.data, code: other.code)
        #expect(throws: TapMessage.Refusal.forged) {
            _ = try mixed.verify(metaKey: Self.metaKey) { _ in Self.fileKey }
        }
        #expect(throws: TapMessage.Refusal.foreign) {
            _ = try made.verify(metaKey: Self.fileKey) { _ in Self.fileKey }
        }
        #expect(throws: TapMessage.Refusal.forged) {
            _ = try made.verify(metaKey: Self.metaKey) { _ in Self.metaKey }
        }
    }

    @Test("A message with a wrong length or character is malformed")
    func malformed() throws {
        let made = try message()
        let values = [made.identity, made.data, made.code]
        for (index, value) in values.enumerated() {
            let wrong =
                (0..<value.count).map { String(value.prefix($0)) }
                + [value + "0", value + "00", " " + value.dropFirst()]
                + ["/", ":", "@", "G", "a", "\u{0}", "é"].map { $0 + value.dropFirst() }
            for text in wrong where text != value {
                var changed = values
                changed[index] = text
                #expect(throws: TapMessage.Refusal.malformed, "\(text)") {
                    _ = try TapMessage(identity: changed[0], data: changed[1], code: changed[2])
                }
            }
        }
    }
}
