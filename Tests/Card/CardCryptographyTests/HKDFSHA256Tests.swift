import CardCryptography
import Testing

@Suite("HKDF-SHA256 key derivation")
struct HKDFSHA256Tests {
    struct Vector: Sendable {
        let secret: [UInt8]
        let salt: [UInt8]
        let info: [UInt8]
        let derived: String
    }

    /// The three cases of RFC 5869 for SHA-256.
    static let vectors = [
        Vector(
            secret: bytes(0x0B, count: 22), salt: Array(0...0x0C), info: Array(0xF0...0xF9),
            derived: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
                + "34007208d5b887185865"),
        Vector(
            secret: Array(0x00...0x4F), salt: Array(0x60...0xAF), info: Array(0xB0...0xFF),
            derived: "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
                + "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
                + "cc30c58179ec3e87c14c01d5c1f3434f1d87"),
        Vector(
            secret: bytes(0x0B, count: 22), salt: [], info: [],
            derived: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
                + "9d201395faa4b61a96c8"),
    ]

    @Test("HKDF matches the cases of RFC 5869 at every length up to theirs", arguments: vectors)
    func derived(vector: Vector) {
        let derived = bytes(vector.derived)
        for count in 0...derived.count {
            let result = HKDFSHA256.derive(
                secret: vector.secret, salt: vector.salt, info: vector.info, count: count)
            #expect(result == Array(derived.prefix(count)))
        }
    }

    @Test("HKDF derives 8160 bytes at most, and a request for more stops the program")
    func longest() async {
        let derived = HKDFSHA256.derive(secret: [1], salt: [], info: [], count: 8160)
        #expect(derived.count == 8160)
        await #expect(processExitsWith: .failure) {
            _ = HKDFSHA256.derive(secret: [1], salt: [], info: [], count: 8161)
        }
    }
}
