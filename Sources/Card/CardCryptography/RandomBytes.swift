import COpenSSL

/// Bytes that nobody can foresee, for master keys.
public enum RandomBytes {
    /// Without a source of chance there are no keys worth having: the program stops.
    public static func make(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = unsafe RAND_priv_bytes(&bytes, Int32(count))
        precondition(result == 1, "the system has no random bytes to give")
        return bytes
    }
}
