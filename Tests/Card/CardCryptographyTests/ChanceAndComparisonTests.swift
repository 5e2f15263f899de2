import CardCryptography
import Testing

@Suite("Random bytes and constant time")
struct ChanceAndComparisonTests {
    @Test("As many bytes as asked for", arguments: [0, 1, 31, 32, 1000])
    func count(count: Int) {
        #expect(RandomBytes.make(count).count == count)
    }

    @Test("No two draws are alike, and no byte is constant")
    func chance() {
        let draws = (0..<64).map { _ in RandomBytes.make(32) }
        #expect(Set(draws).count == draws.count)
        for index in 0..<32 {
            #expect(Set(draws.map { $0[index] }).count > 1)
        }
    }

    @Test("Equal is equal")
    func equal() {
        #expect(ConstantTime.equal([], []))
        #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
    }

    @Test("A single bit anywhere makes a difference", arguments: 0..<64)
    func flipped(bit: Int) {
        let bytes: [UInt8] = [0, 0xFF, 0x55, 0xAA, 1, 2, 3, 4]
        var other = bytes
        other[bit / 8] ^= 1 << (bit % 8)
        #expect(!ConstantTime.equal(bytes, other))
    }

    @Test("So does the length")
    func lengths() {
        #expect(!ConstantTime.equal([1, 2], [1, 2, 0]))
        #expect(!ConstantTime.equal([1, 2, 0], [1, 2]))
        #expect(!ConstantTime.equal([], [0]))
    }
}
