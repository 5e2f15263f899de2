/// The number of the chip on which a card lives: seven bytes, shown as upper-case hexadecimal.
public struct CardUID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let bytes: [UInt8]

    public init?(bytes: [UInt8]) {
        guard bytes.count == 7 else { return nil }
        self.bytes = bytes
    }

    /// Reads fourteen hexadecimal digits. Colons and spaces between bytes are accepted, because
    /// other tools print them.
    public init?(_ text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: " ") }
            .map(hexadecimalValue)
        guard digits.count == 14 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 14, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    public var description: String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined().uppercased()
    }
}
