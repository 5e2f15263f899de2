/// Integers encoded in a fixed number of bytes, most significant byte first.
enum FixedNumber {
    static func bytes(_ value: some BinaryInteger, count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// Takes at most seven bytes, because an eighth could overflow into the sign bit.
    static func value(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}
