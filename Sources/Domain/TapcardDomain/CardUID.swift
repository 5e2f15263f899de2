/// The number of the chip on which a card lives: seven bytes, shown as upper-case hexadecimal.
public struct CardUID: Hashable, Sendable, Comparable, CustomStringConvertible {
    // A number and no array: every table is searched by it.
    private let value: UInt64

    public init?(bytes: [UInt8]) {
        guard bytes.count == 7 else { return nil }
        value = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads fourteen hexadecimal digits. Colons and spaces between bytes are accepted, because
    /// other tools print them.
    public init?(_ text: String) {
        var (value, count) = (UInt64(0), 0)
        for character in text.utf8
        where character != UInt8(ascii: ":") && character != UInt8(ascii: " ") {
            count += 1
            guard count <= 14, let digit = hexadecimalValue(character) else { return nil }
            value = value << 4 | UInt64(digit)
        }
        guard count == 14 else { return nil }
        self.value = value
    }

    /// Nil for a number of more than seven bytes.
    package init?(number: Int64) {
        guard number >= 0, number >> 56 == 0 else { return nil }
        value = UInt64(number)
    }

    public var bytes: [UInt8] { (0..<7).map { UInt8(truncatingIfNeeded: value >> (48 - 8 * $0)) } }

    /// The seven bytes as a number, whose order is that of the cards.
    package var number: Int64 { Int64(value) }

    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }

    public var description: String {
        unsafe String(unsafeUninitializedCapacity: 14) { buffer in
            for digit in 0..<14 {
                let value = UInt8(truncatingIfNeeded: value >> (52 - 4 * digit)) & 15
                unsafe buffer[digit] =
                    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
            }
            return 14
        }
    }
}
