import TapcardDomain
import Testing

@Suite("A sequence number")
struct SequenceNumberTests {
    @Test("has three bytes on the tag", arguments: [0, 1, 0xFF_FFFF] as [UInt32])
    func exists(value: UInt32) throws {
        let number = try #require(SequenceNumber(value))
        #expect(number.value == value)
        #expect(number.description == "\(value)")
    }

    @Test("has no more", arguments: [0x100_0000, .max] as [UInt32])
    func tooHigh(value: UInt32) {
        #expect(SequenceNumber(value) == nil)
    }

    @Test("goes up by one, or skips what a restored backup may have used")
    func next() throws {
        let twelve = try #require(SequenceNumber(12))
        #expect(twelve.next()?.value == 13)
        #expect(twelve.next(65_536)?.value == 65_548)
        #expect(SequenceNumber.none.next()?.value == 1)
        #expect(SequenceNumber(0xFF_FFFE)?.next() == .highest)
    }

    @Test("ends", arguments: [1, 65_536, .max] as [UInt32])
    func last(step: UInt32) {
        #expect(SequenceNumber.highest.next(step) == nil)
        #expect(SequenceNumber.none.next(.max) == nil)
    }

    @Test("is ordered")
    func order() throws {
        let numbers = try [0, 1, 255, 256, 0xFF_FFFF].map { try #require(SequenceNumber($0)) }
        #expect(numbers.reversed().sorted() == numbers)
        #expect(numbers.first == SequenceNumber.none && numbers.last == .highest)
    }
}
