package import CardCryptography
package import TapcardDomain

/// A card's UID and read count, which the chip encrypts and writes into its URL (PICCData).
package struct TapIdentity: Hashable, Sendable {
    /// The length of the encrypted form, in bytes.
    package static let encryptedSize = AESKey.blockSize
    /// The maximum read count, because the count has 24 bits.
    package static let maximumReads: UInt32 = 0xFF_FFFF
    /// The number of random bytes that the chip adds.
    package static let fillingSize = encryptedSize - 1 - CardUID.size - counterSize
    static let counterSize = 3
    /// PICCDataTag, which indicates that a 7-byte UID and the counter follow.
    private static let tag: UInt8 = 0xC7

    package let uid: CardUID
    /// The number of reads without authentication so far (SDMReadCtr).
    package let reads: UInt32

    /// `nil` for a count that needs more than 24 bits.
    package init?(uid: CardUID, reads: UInt32) {
        guard reads <= TapIdentity.maximumReads else { return nil }
        (self.uid, self.reads) = (uid, reads)
    }

    /// Decrypts the identity with the key that all of the issuer's cards share (SDMMetaRead). `nil`
    /// if the decrypted bytes are not an identity.
    package init?(decrypting encrypted: [UInt8], key: AESKey) {
        guard encrypted.count == TapIdentity.encryptedSize else { return nil }
        let plain = key.decrypt(encrypted)
        let counter = plain[(1 + CardUID.size)...].prefix(TapIdentity.counterSize)
        // Decryption with a wrong key yields random bytes. One result in 256 passes this check, but
        // then fails the MAC check.
        guard plain[0] == TapIdentity.tag,
            let uid = CardUID(bytes: Array(plain[1...CardUID.size]))
        else { return nil }
        // The chip encrypts the count with its least significant byte first.
        self.init(uid: uid, reads: counter.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// The encrypted form. `filling` is random, so that no one can tell which URLs come from the
    /// same card.
    package func encrypted(key: AESKey, filling: [UInt8]) -> [UInt8] {
        precondition(filling.count == TapIdentity.fillingSize, "the filling has five bytes")
        return key.encrypt([TapIdentity.tag] + uid.bytes + counterBytes + filling)
    }

    /// The count, least significant byte first.
    var counterBytes: [UInt8] {
        (0..<TapIdentity.counterSize).map { UInt8(truncatingIfNeeded: reads >> (8 * $0)) }
    }
}
