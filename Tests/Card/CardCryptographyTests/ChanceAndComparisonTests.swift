import CardCryptography
import Testing

@Suite("Random bytes and constant-time comparison")
struct ChanceAndComparisonTests {
    @Test("The random source returns as many bytes as requested", arguments: [0, 1, 31, 32, 1000])
    func count(count: Int) {
        #expect(RandomBytes.make(count).count == count)
    }

    @Test("No two random draws are equal, and no byte position is constant")
    func chance() {
        let draws = (0..<64).map { _ in RandomBytes.make(32) }
        #expect(Set(draws).count == draws.count)
        for index in 0..<32 {
            #expect(Set(draws.map { $0[index] }).count > 1)
        }
    }

    @Test("Equal arrays compare as equal in constant time")
    func equal() {
        #expect(ConstantTime.equal([], []))
        #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
    }

    @Test("Arrays that differ in one bit compare as different in constant time", arguments: 0..<64)
    func flipped(bit: Int) {
        let bytes: [UInt8] = [0, 0xFF, 0x55, 0xAA, 1, 2, 3, 4]
        var other = bytes
        other[bit / 8] ^= 1 << (bit % 8)
        #expect(!ConstantTime.equal(bytes, other))
    }

    @Test("Arrays of different lengths compare as different in constant time")
    func lengths() {
        #expect(!ConstantTime.equal([1, 2], [1, 2, 0]))
        #expect(!ConstantTime.equal([1, 2, 0], [1, 2]))
        #expect(!ConstantTime.equal([], [0]))
    }
}
