import CNettle

/// A message authentication code that only someone who has the key can compute (RFC 2104, with
/// SHA-256).
package enum HMACSHA256 {
    package static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: SHA256.size)
        var state = hmac_sha256_ctx()
        let nettle = CryptoLibraries.nettle
        unsafe nettle.code_begin(&state, key.count, key)
        unsafe nettle.code_update(&state, message.count, message)
        unsafe nettle.code_end(&state, code.count, &code)
        return code
    }
}
