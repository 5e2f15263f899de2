import CardCryptography
import Testing
import TextCodecs

@Suite("AES-128 keys")
struct AESKeyTests {
    /// The key of SP 800-38A and of RFC 4493.
    private static let key = AESKey(bytes("2b7e151628aed2a6abf7158809cf4f3c"))
    /// The four blocks that both documents encrypt.
    private static let blocks = bytes(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
            + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")

    @Test("AES-128 matches the example of FIPS 197, appendix C.1")
    func block() {
        let key = AESKey(Array(0...15))
        let encrypted = bytes("69c4e0d86a7b0430d8cdb78070b4c55a")
        let plain = bytes("00112233445566778899aabbccddeeff")
        #expect(key.encrypt(plain) == encrypted)
        #expect(key.decrypt(encrypted) == plain)
    }

    @Test("AES-CBC matches SP 800-38A, F.2.1 and F.2.2, for one to four blocks and none")
    func chained() {
        let encrypted = bytes(
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
                + "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7")
        for count in stride(from: 0, through: 64, by: 16) {
            let plain = Array(Self.blocks.prefix(count))
            let expected = Array(encrypted.prefix(count))
            #expect(Self.key.encrypt(plain, vector: Array(0...15)) == expected)
            #expect(Self.key.decrypt(expected, vector: Array(0...15)) == plain)
        }
    }

    @Test("Transaction MAC keys match a published example for DESFire Light")
    func transactionKeys() {
        let key = AESKey(bytes("66A8CB93269DC9BC2885B7A91B9C697B"))
        // The next number of a transaction after 8, and the card's own number.
        let rest = "00010080" + "09000000" + "04010203040506"
        #expect(key.code(for: bytes("5A" + rest)) == bytes("7C1AD2D9C5C08154A0A4914B401A6598"))
        #expect(key.code(for: bytes("A5" + rest)) == bytes("119B902A07B18A865B8E1B0060594784"))
    }

    @Test(
        "AES-CMAC matches the four examples of RFC 4493",
        arguments: [
            (0, "bb1d6929e95937287fa37d129b756746"), (16, "070a16b46b4d4144f79bdd9dd04a287c"),
            (40, "dfa66747de9ae63030ca32611497c827"), (64, "51f0bebf7e3b9d92fc49741779363cfe"),
        ])
    func codes(count: Int, code: String) {
        let message = Array(Self.blocks.prefix(count))
        #expect(Self.key.code(for: message) == bytes(code))
        #expect(Self.key.derivedKey(for: message) == AESKey(bytes(code)))
    }

    @Test("Keys that differ in any one bit are not equal", arguments: 0..<128)
    func equal(bit: Int) {
        var other = Self.key.copyOfBytes()
        #expect(AESKey(other) == Self.key)
        other[bit / 8] ^= 1 << (bit % 8)
        #expect(AESKey(other) != Self.key)
    }

    @Test("A key, block or vector of the wrong length stops the program")
    func programmingErrors() async {
        await #expect(processExitsWith: .failure) { _ = AESKey(bytes(1, count: 15)) }
        await #expect(processExitsWith: .failure) { _ = AESKey(bytes(1, count: 17)) }
        await #expect(processExitsWith: .failure) {
            _ = AESKey(bytes(1, count: 16)).encrypt(bytes(1, count: 17))
        }
        await #expect(processExitsWith: .failure) {
            _ = AESKey(bytes(1, count: 16)).decrypt(bytes(1, count: 16), vector: [])
        }
    }

    @Test("The bytes a key was made from are wiped, and no description shows the key")
    func secrecy() {
        var made = bytes(0xAB, count: 16)
        let key = AESKey(wiping: &made)
        #expect(made == bytes(0, count: 16))
        #expect(key.copyOfBytes() == bytes(0xAB, count: 16))
        var dumped = ""
        dump(key, to: &dumped)
        for spelling in [dumped, "\(key)", String(reflecting: key), "\([key])"] {
            #expect(spelling.contains("secret"))
            #expect(!spelling.uppercased().contains("AB") && !spelling.contains("171"))
        }
    }

    @Test("A wiped array is all zeros and keeps its length", arguments: [0, 1, 16, 1000])
    func wiping(count: Int) {
        var secret = bytes(0xFF, count: count)
        Wiping.wipe(&secret)
        #expect(secret == bytes(0, count: count))
    }
}
