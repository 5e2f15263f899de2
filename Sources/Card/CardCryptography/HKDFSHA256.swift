/// Derives keys from one secret (RFC 5869, with SHA-256).
package enum HKDFSHA256 {
    /// The maximum number of bytes that one derivation can return.
    package static let maximumByteCount = 255 * SHA256.size

    /// Derives `count` bytes that reveal nothing about the secret, or about bytes derived with a
    /// different `info`. Requesting more than `maximumByteCount` bytes is a programming error.
    package static func derive(
        secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int
    ) -> [UInt8] {
        precondition(
            (0...maximumByteCount).contains(count), "HKDF derives 0 to \(maximumByteCount) bytes")
        // Extract, then expand: the salt is the key, and the secret is the message.
        let key = HMACSHA256.code(for: secret, key: salt)
        var derived: [UInt8] = []
        var block: [UInt8] = []
        var number: UInt8 = 0
        while derived.count < count {
            // Cannot overflow: the precondition allows at most 255 blocks.
            number += 1
            block = HMACSHA256.code(for: block + info + [number], key: key)
            derived += block
        }
        return Array(derived.prefix(count))
    }
}
