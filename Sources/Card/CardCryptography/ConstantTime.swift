import CNettle

/// A comparison whose duration does not depend on where the inputs differ.
package enum ConstantTime {
    /// Whether two byte strings are equal. The duration reveals only their lengths.
    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe CryptoLibraries.nettle.equal(left, right, left.count) == 1
    }
}
