import COpenSSL

/// Unpredictable bytes, for master keys.
public enum RandomBytes {
    /// Random bytes. Without a source of randomness the program stops, because the keys would be
    /// worthless.
    public static func make(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = unsafe RAND_priv_bytes(&bytes, Int32(count))
        precondition(result == 1, "the system has no random bytes to give")
        return bytes
    }
}
