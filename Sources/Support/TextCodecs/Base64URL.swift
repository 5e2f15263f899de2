/// Bytes in the alphabet of RFC 4648 section 5, without padding.
public enum Base64URL {
    /// Encodes three bytes as four characters, and a remainder as two or three.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(character(UInt8(truncatingIfNeeded: bits >> bitCount) & 0x3F))
            }
        }
        if bitCount > 0 {
            // The last bits are padded with zeros, which `decode` requires.
            text.append(character(UInt8(truncatingIfNeeded: bits << (6 - bitCount)) & 0x3F))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes, or `nil` for padding, an invalid character, an impossible length, or set bits
    /// that do not belong to any byte. Two different strings therefore never stand for the same
    /// bytes.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        // In Swift, `<<` binds more tightly than `-`, so this mask has `bitCount` ones.
        let unused = bits & (1 << bitCount - 1)
        // If six bits are left over, there is one character too many.
        return bitCount < 6 && unused == 0 ? bytes : nil
    }

    private static func character(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "-")
        default: UInt8(ascii: "_")
        }
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
