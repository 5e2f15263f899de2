package import CardCryptography
package import TapcardDomain

/// Which card was read, and for which time: what the chip encrypts into its URL (PICCData).
package struct TapIdentity: Hashable, Sendable {
    /// The length of the encrypted form, in bytes.
    package static let encryptedSize = AESKey.blockSize
    /// The highest count of reads, 24 bits.
    package static let mostReads: UInt32 = 0xFF_FFFF
    /// The number of bytes that the chip fills with randomness.
    package static let fillingSize = encryptedSize - 1 - CardUID.size - counterSize
    static let counterSize = 3
    /// UID and counter follow, the UID of 7 bytes.
    private static let tag: UInt8 = 0xC7

    package let uid: CardUID
    /// The number of reads without authentication so far (SDMReadCtr).
    package let reads: UInt32

    /// Nil for a count of more than 24 bits.
    package init?(uid: CardUID, reads: UInt32) {
        guard reads <= TapIdentity.mostReads else { return nil }
        (self.uid, self.reads) = (uid, reads)
    }

    /// Decrypts it with the key of all cards of the issuer (SDMMetaRead). Nil if another key made
    /// it, or no key at all.
    package init?(decrypting encrypted: [UInt8], key: AESKey) {
        guard encrypted.count == TapIdentity.encryptedSize else { return nil }
        let plain = key.decrypt(encrypted)
        let counter = plain[(1 + CardUID.size)...].prefix(TapIdentity.counterSize)
        guard plain[0] == TapIdentity.tag,
            let uid = CardUID(bytes: Array(plain[1...CardUID.size]))
        else { return nil }
        self.init(uid: uid, reads: counter.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// The encrypted form. `filling` is random, so that two URLs of a card have nothing in common.
    package func encrypted(key: AESKey, filling: [UInt8]) -> [UInt8] {
        precondition(filling.count == TapIdentity.fillingSize, "the filling has five bytes")
        return key.encrypt([TapIdentity.tag] + uid.bytes + counterBytes + filling)
    }

    /// The count, lowest byte first.
    var counterBytes: [UInt8] {
        (0..<TapIdentity.counterSize).map { UInt8(truncatingIfNeeded: reads >> (8 * $0)) }
    }
}
