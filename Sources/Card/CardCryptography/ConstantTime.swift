import COpenSSL

/// Comparison that takes as long for a near miss as for a wide one.
public enum ConstantTime {
    /// Only the lengths may be learnt from the time this takes.
    public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe CRYPTO_memcmp(left, right, left.count) == 0
    }
}
