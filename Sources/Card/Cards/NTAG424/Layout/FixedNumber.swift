/// Whole numbers in a fixed count of bytes, highest byte first.
enum FixedNumber {
    static func bytes(_ value: some BinaryInteger, count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// At most seven bytes, so that no sign is lost.
    static func value(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}
