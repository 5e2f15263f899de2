import CNettle

/// Overwrites secret bytes, so that they cannot be found in memory later.
package enum Wiping {
    /// Overwrites an array with zeros. Any other copy of the array keeps its bytes.
    package static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            // An empty array has no memory to overwrite.
            guard let start = buffer.baseAddress else { return }
            unsafe tapcard_wipe(start, buffer.count)
        }
    }
}
