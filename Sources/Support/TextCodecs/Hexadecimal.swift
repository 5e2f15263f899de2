/// Bytes as text of two hexadecimal digits a byte, without separators.
public enum Hexadecimal {
    /// Writes upper-case digits.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digit($0 >> 4), digit($0 & 0x0F)] }, as: UTF8.self)
    }

    /// Reads digits of either case; nil if anything else is there or half a byte is missing.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var upper: UInt8?
        for character in text.utf8 {
            guard let digit = value(of: character) else { return nil }
            if let high = upper {
                bytes.append(high << 4 | digit)
                upper = nil
            } else {
                upper = digit
            }
        }
        return upper == nil ? bytes : nil
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
