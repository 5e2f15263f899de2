import COpenSSL

/// The signature that the maker of the chip stored in it.
///
/// A valid signature proves who made the chip, but a copy can have one too: the signature can be
/// read and written into an emulator together with the UID.
package enum Originality {
    /// The length of a signed UID, in bytes.
    private static let uidSize = 7

    /// The length of each of the two numbers of a signature, in bytes.
    private static let numberSize = 16

    /// The public key for the NTAG21x on secp128r1, as a SubjectPublicKeyInfo (RFC 5480).
    private static let publicKey: [UInt8] = [
        0x30, 0x36, 0x30, 0x10,
        // id-ecPublicKey, then secp128r1.
        0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
        0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x1C,
        // The point, uncompressed.
        0x03, 0x22, 0x00, 0x04,
        0x49, 0x4E, 0x1A, 0x38, 0x6D, 0x3D, 0x3C, 0xFE, 0x3D, 0xC1, 0x0E, 0x5D, 0xE6, 0x8A, 0x49,
        0x9B,
        0x1C, 0x20, 0x2D, 0xB5, 0xB1, 0x32, 0x39, 0x3E, 0x89, 0xED, 0x19, 0xFE, 0x5B, 0xE8, 0xBC,
        0x61,
    ]

    /// Whether the signature is the maker's for this UID. The maker signs the UID itself, not a
    /// digest of it.
    package static func verify(uid: [UInt8], signature: [UInt8]) -> Bool {
        guard uid.count == uidSize, signature.count == 2 * numberSize else { return false }
        let numbers =
            integer(signature.prefix(numberSize)) + integer(signature.suffix(numberSize))
        return verify(uid, encoded: [0x30, UInt8(numbers.count)] + numbers)
    }

    private static func verify(_ message: [UInt8], encoded signature: [UInt8]) -> Bool {
        // A refused signature leaves errors in the queue, which the next caller must not find.
        let crypto = CryptoLibraries.crypto
        defer { crypto.clear_errors() }
        let key = unsafe publicKey.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return unsafe crypto.public_key(nil, &start, buffer.count)
        }
        defer { unsafe crypto.free_key(key) }
        let context = unsafe crypto.new_context(key, nil)
        defer { unsafe crypto.free_context(context) }
        precondition(
            unsafe crypto.begin_verification(context) == 1, "libcrypto does not know secp128r1")
        return unsafe crypto.verify(
            context, signature, signature.count, message, message.count) == 1
    }

    /// A number of at most 16 bytes in DER: without leading zeros, except one where the first bit
    /// would otherwise make it negative.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }
}
