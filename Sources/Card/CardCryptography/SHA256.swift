import COpenSSL

/// The digest SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The length of a digest, in bytes.
    public static let size = 32

    public static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: size)
        let result = unsafe COpenSSL.SHA256(bytes, bytes.count, &digest)
        precondition(unsafe result != nil, "libcrypto has no SHA-256")
        return digest
    }
}
