import CNettle

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// The length of a digest, in bytes.
    package static let size = 32

    package static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: size)
        var state = sha256_ctx()
        let nettle = CryptoLibraries.nettle
        unsafe nettle.digest_init(&state)
        unsafe nettle.digest_update(&state, bytes.count, bytes)
        unsafe nettle.digest_end(&state, digest.count, &digest)
        return digest
    }
}
