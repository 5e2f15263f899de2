import CardCryptography
import Testing
import TextCodecs

@Suite("Password hashes")
struct PasswordHashTests {
    private static let salt = [UInt8](0..<16)

    /// The first 32 bytes of the third example of RFC 7914, section 12.
    @Test("A password hash matches the example of RFC 7914")
    func standard() throws {
        let cost = try #require(
            PasswordHash.Cost(rounds: 16_384, blockSize: 8, lanes: 1))
        let hash = PasswordHash("pleaseletmein", salt: Array("SodiumChloride".utf8), cost: cost)
        #expect(
            Hexadecimal.encode(hash.bytes)
                == "7023BDCB3AFD7348461C06CD81FD38EBFDA8FBBA904F8E3EA9B543F6545DA1F2")
    }

    @Test("A password hash accepts its own password and no other")
    func passwords() throws {
        let cost = try #require(PasswordHash.Cost(rounds: 1_024, blockSize: 8, lanes: 1))
        let hash = PasswordHash("sesame öffne dich", salt: Self.salt, cost: cost)
        #expect(hash.accepts("sesame öffne dich"))
        for other in ["", "sesame", "sesame öffne dich ", "Sesame öffne dich"] {
            #expect(!hash.accepts(other))
        }
        #expect(PasswordHash(cost: cost, salt: Self.salt, bytes: hash.bytes) == hash)
        let salted = PasswordHash("sesame öffne dich", salt: Self.salt.reversed(), cost: cost)
        #expect(salted.bytes != hash.bytes)
        // Also of nothing: whatever was typed, it is compared.
        #expect(PasswordHash("", salt: Self.salt, cost: cost).accepts(""))
    }

    @Test(
        "A hash cost that is too low or needs more than 64 MiB is refused",
        arguments: [
            (0, 8, 1), (512, 8, 1), (16_383, 8, 1), (65_536, 16, 1), (131_072, 8, 1), (1_024, 0, 1),
            (1_024, 33, 1), (1_024, 8, 0), (1_024, 8, 5), (.max, .max, .max),
        ] as [(UInt64, UInt64, UInt64)])
    func costs(rounds: UInt64, blockSize: UInt64, lanes: UInt64) {
        #expect(PasswordHash.Cost(rounds: rounds, blockSize: blockSize, lanes: lanes) == nil)
    }

    @Test("The usual cost is the recommended one, and a lower cost is recognized as lower")
    func usual() throws {
        let standard = PasswordHash.Cost.standard
        #expect(standard.rounds == 32_768 && standard.blockSize == 8 && standard.lanes == 3)
        #expect(!standard.isBelowDefault)
        let before = try #require(PasswordHash.Cost(rounds: 32_768, blockSize: 8, lanes: 1))
        #expect(before.isBelowDefault)
        #expect(PasswordHash("sesame", salt: Self.salt, cost: before).accepts("sesame"))
        let other = try #require(PasswordHash.Cost(rounds: 65_536, blockSize: 8, lanes: 2))
        #expect(!other.isBelowDefault)
    }

    @Test("A hash of the highest accepted cost can be computed")
    func most() throws {
        let cost = try #require(PasswordHash.Cost(rounds: 65_536, blockSize: 8, lanes: 4))
        #expect(PasswordHash("sesame", salt: Self.salt, cost: cost).bytes.count == 32)
    }
}
