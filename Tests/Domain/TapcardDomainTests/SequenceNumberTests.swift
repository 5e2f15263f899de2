import TapcardDomain
import Testing

@Suite("Sequence numbers")
struct SequenceNumberTests {
    @Test(
        "A sequence number may have any value of three bytes",
        arguments: [0, 1, 0xFF_FFFF] as [UInt32])
    func exists(value: UInt32) throws {
        let number = try #require(SequenceNumber(value))
        #expect(number.value == value)
        #expect(number.description == "\(value)")
    }

    @Test(
        "A value beyond three bytes is refused as a sequence number",
        arguments: [0x100_0000, .max] as [UInt32])
    func tooHigh(value: UInt32) {
        #expect(SequenceNumber(value) == nil)
    }

    @Test("A sequence number advances by one or by a given step")
    func next() throws {
        let twelve = try #require(SequenceNumber(12))
        #expect(twelve.next()?.value == 13)
        #expect(twelve.next(65_536)?.value == 65_548)
        #expect(SequenceNumber.none.next()?.value == 1)
        #expect(SequenceNumber(0xFF_FFFE)?.next() == .highest)
    }

    @Test(
        "A sequence number does not advance past the highest one",
        arguments: [1, 65_536, .max] as [UInt32])
    func last(step: UInt32) {
        #expect(SequenceNumber.highest.next(step) == nil)
        #expect(SequenceNumber.none.next(.max) == nil)
    }

    @Test("Sequence numbers are ordered by value")
    func order() throws {
        let numbers = try [0, 1, 255, 256, 0xFF_FFFF].map { try #require(SequenceNumber($0)) }
        #expect(numbers.reversed().sorted() == numbers)
        #expect(numbers.first == SequenceNumber.none && numbers.last == .highest)
    }
}
