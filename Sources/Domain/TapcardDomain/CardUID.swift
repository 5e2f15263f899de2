/// The UID of a card's chip: seven bytes, shown as upper-case hexadecimal.
public struct CardUID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The bytes, in the order in which the chip sends them during selection.
    public let bytes: [UInt8]

    /// Creates a UID from its bytes; `nil` unless there are seven.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 7 else { return nil }
        self.bytes = bytes
    }

    /// Parses fourteen hexadecimal digits. Colons and spaces are ignored, because other tools print
    /// them between bytes.
    public init?(_ text: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(7)
        var high: UInt8?
        for character in text.utf8
        where character != UInt8(ascii: ":") && character != UInt8(ascii: " ") {
            guard bytes.count < 7, let digit = hexadecimalValue(character) else { return nil }
            if let first = high { bytes.append(first << 4 | digit) }
            high = high == nil ? digit : nil
        }
        guard bytes.count == 7 else { return nil }
        self.bytes = bytes
    }

    /// Creates a UID from its number; `nil` if the number is negative or exceeds 56 bits.
    package init?(number: Int64) {
        // Seven bytes are 56 bits.
        guard number >= 0, number >> 56 == 0 else { return nil }
        self.init(bytes: (0..<7).map { UInt8(truncatingIfNeeded: number >> (48 - 8 * $0)) })
    }

    /// The seven bytes as a big-endian number. Numbers sort in the same order as UIDs.
    package var number: Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }

    public static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    public var description: String {
        unsafe String(unsafeUninitializedCapacity: 14) { buffer in
            for (index, byte) in bytes.enumerated() {
                unsafe buffer[2 * index] = CardUID.digit(byte >> 4)
                unsafe buffer[2 * index + 1] = CardUID.digit(byte & 15)
            }
            return 14
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
    }
}
