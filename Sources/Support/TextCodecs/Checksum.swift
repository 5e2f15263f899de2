/// A checksum in hexadecimal: 64-bit FNV-1a. Each of its steps is reversible, so a single wrong
/// byte is always detected. It detects accidental changes, not attacks.
public enum Checksum {
    public static let digits = 16

    public static func of(_ bytes: some Sequence<UInt8>) -> String {
        // The offset basis and the prime of FNV-1a.
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        let text = String(sum, radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}
