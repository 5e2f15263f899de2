import COpenSSL

/// The signature that the chip maker stored on the chip.
///
/// A valid signature shows that the maker signed this UID, but not that the chip is genuine: anyone
/// can read the signature and load it into an emulator together with the UID.
package enum Originality {
    /// The maker's public keys, one for each chip family.
    package enum Family: Sendable, CaseIterable {
        /// NTAG21x and some MIFARE Ultralight EV1, on secp128r1.
        case ntag21x
        /// Most MIFARE Ultralight EV1, on secp128r1.
        case ultralightEV1
        /// NTAG 424, on secp224r1.
        case ntag424

        /// The length of each of the two numbers in a signature, in bytes.
        fileprivate var numberSize: Int {
            switch self {
            case .ntag21x, .ultralightEV1: 16
            case .ntag424: 28
            }
        }

        /// The length of a signature, in bytes.
        package var signatureSize: Int { 2 * numberSize }

        /// The public key, as a SubjectPublicKeyInfo (RFC 5480).
        fileprivate var publicKey: [UInt8] {
            switch self {
            case .ntag21x: Originality.ntag21xKey
            case .ultralightEV1: Originality.ultralightEV1Key
            case .ntag424: Originality.ntag424Key
            }
        }
    }

    /// The length of a signed UID, in bytes.
    private static let uidSize = 7

    /// The first bytes of every secp128r1 key.
    private static let shortKeyHeader: [UInt8] = [
        0x30, 0x36, 0x30, 0x10,
        // id-ecPublicKey, then secp128r1.
        0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
        0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x1C,
        // The point, uncompressed.
        0x03, 0x22, 0x00, 0x04,
    ]

    /// The key in AN11341.
    private static let ultralightEV1Key: [UInt8] =
        shortKeyHeader + [
            0x90, 0x93, 0x3B, 0xDC, 0xD6, 0xE9, 0x9B, 0x4E, 0x25, 0x5E, 0x3D, 0xA5, 0x53, 0x89,
            0xA8, 0x27,
            0x56, 0x4E, 0x11, 0x71, 0x8E, 0x01, 0x72, 0x92, 0xFA, 0xF2, 0x32, 0x26, 0xA9, 0x66,
            0x14, 0xB8,
        ]

    private static let ntag21xKey: [UInt8] =
        shortKeyHeader + [
            0x49, 0x4E, 0x1A, 0x38, 0x6D, 0x3D, 0x3C, 0xFE, 0x3D, 0xC1, 0x0E, 0x5D, 0xE6, 0x8A,
            0x49,
            0x9B,
            0x1C, 0x20, 0x2D, 0xB5, 0xB1, 0x32, 0x39, 0x3E, 0x89, 0xED, 0x19, 0xFE, 0x5B, 0xE8,
            0xBC,
            0x61,
        ]

    private static let ntag424Key: [UInt8] = [
        0x30, 0x4E, 0x30, 0x10,
        // id-ecPublicKey, then secp224r1.
        0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
        0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x21,
        // The point, uncompressed (AN12196, 7.2).
        0x03, 0x3A, 0x00, 0x04,
        0x8A, 0x9B, 0x38, 0x0A, 0xF2, 0xEE, 0x1B, 0x98, 0xDC, 0x41, 0x7F, 0xEC, 0xC2, 0x63, 0xF8,
        0x44, 0x9C, 0x76, 0x25, 0xCE, 0xCE, 0x82, 0xD9, 0xB9, 0x16, 0xC9, 0x92, 0xDA,
        0x20, 0x9D, 0x68, 0x42, 0x2B, 0x81, 0xEC, 0x20, 0xB6, 0x5A, 0x66, 0xB5, 0x10, 0x2A, 0x61,
        0x59, 0x6A, 0xF3, 0x37, 0x92, 0x00, 0x59, 0x93, 0x16, 0xA0, 0x0A, 0x14, 0x10,
    ]

    /// Whether this is the maker's signature for this UID. The maker signs the UID itself, not a
    /// digest of it.
    package static func verify(
        uid: [UInt8], signature: [UInt8], of family: Family = .ntag21x
    ) -> Bool {
        guard uid.count == uidSize, signature.count == family.signatureSize else { return false }
        let size = family.numberSize
        let numbers = integer(signature.prefix(size)) + integer(signature.suffix(size))
        // The chip returns two bare numbers; libcrypto expects them as a DER sequence.
        return verify(uid, encoded: [0x30, UInt8(numbers.count)] + numbers, by: family.publicKey)
    }

    private static func verify(
        _ message: [UInt8], encoded signature: [UInt8], by publicKey: [UInt8]
    ) -> Bool {
        // A rejected signature leaves errors in libcrypto's queue, where the next call would find
        // them.
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
            unsafe crypto.begin_verification(context) == 1, "libcrypto does not know the curve")
        return unsafe crypto.verify(
            context, signature, signature.count, message, message.count) == 1
    }

    /// Encodes a number in DER: without leading zeros, except for one if the first bit would
    /// otherwise make the number negative.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        // If no digits are left, the number is zero, which DER encodes as a single zero byte.
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }
}
