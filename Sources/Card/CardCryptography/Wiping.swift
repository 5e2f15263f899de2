import CNettle

/// Overwrites secret bytes, so that they are not found in memory later.
public enum Wiping {
    /// Overwrites an array with zeros. Only the last reference to its bytes can do so: a copy that
    /// somebody still holds keeps them.
    public static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe tapcard_wipe(start, buffer.count)
        }
    }
}
