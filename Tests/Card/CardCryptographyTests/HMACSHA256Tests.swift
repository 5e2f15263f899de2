import CardCryptography
import Testing

@Suite("HMAC-SHA256 codes")
struct HMACSHA256Tests {
    struct Vector: Sendable {
        let key: [UInt8]
        let message: [UInt8]
        let code: String
    }

    private static let longKeyMessage =
        "This is a test using a larger than block-size key and a larger than block-size data. "
        + "The key needs to be hashed before being used by the HMAC algorithm."

    /// The cases of RFC 4231 that give the whole code, and one with an empty key and message.
    static let vectors = [
        Vector(
            key: bytes(0x0B, count: 20), message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Vector(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Vector(
            key: bytes(0xAA, count: 20), message: bytes(0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Vector(
            key: Array(1...25), message: bytes(0xCD, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        Vector(
            key: bytes(0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Vector(
            key: bytes(0xAA, count: 131), message: Array(longKeyMessage.utf8),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
        // No key and no message, where a null pointer could mean something else to the library.
        Vector(
            key: [], message: [],
            code: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ]

    @Test(
        "HMAC matches the cases of RFC 4231, and an empty key with an empty message",
        arguments: vectors)
    func codes(vector: Vector) {
        #expect(HMACSHA256.code(for: vector.message, key: vector.key) == bytes(vector.code))
    }

    @Test("HMAC matches the truncated case of RFC 4231 in its first 16 bytes")
    func truncated() {
        let code = HMACSHA256.code(
            for: Array("Test With Truncation".utf8), key: bytes(0x0C, count: 20))
        #expect(Array(code.prefix(16)) == bytes("a3b6167473100ee06e0c796c2955552b"))
        #expect(code.count == 32)
    }
}
