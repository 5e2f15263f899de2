package import CardCryptography
import TapcardDomain

/// The two keys for a single read of a card's URL. They are derived from the card's file key
/// (SDMFileRead), the UID, and the read count, so every read has its own keys.
package struct TapKeys: Sendable {
    /// The length, in bytes, of the MAC in a URL.
    package static let codeSize = AESKey.shortCodeSize

    private let identity: TapIdentity
    private let encryption: AESKey
    private let authentication: AESKey

    package init(fileKey: AESKey, identity: TapIdentity) {
        self.identity = identity
        // SV1 and SV2 of AN12196 begin with a label, a counter of 1, and a length of 128 bits.
        let context = [0x00, 0x01, 0x00, 0x80] + identity.uid.bytes + identity.counterBytes
        encryption = fileKey.derivedKey(for: [0xC3, 0x3C] + context)
        authentication = fileKey.derivedKey(for: [0x3C, 0xC3] + context)
    }

    /// The MAC of the protected part of the URL (SDMMAC), 8 bytes.
    package func code(for text: some StringProtocol) -> [UInt8] { code(over: Array(text.utf8)) }

    /// The MAC of raw bytes in the file, which do not have to be text.
    func code(over bytes: [UInt8]) -> [UInt8] { authentication.shortCode(for: bytes) }

    /// Whether this is the MAC of this text. The comparison takes the same time no matter where the
    /// MACs differ.
    package func accepts(_ code: [UInt8], for text: some StringProtocol) -> Bool {
        ConstantTime.equal(code, self.code(for: text))
    }

    /// Encrypts whole blocks of file data in the way that the chip mirrors them (SDMENCFileData).
    package func encrypt(_ fileData: [UInt8]) -> [UInt8] {
        encryption.encrypt(fileData, vector: vector)
    }

    /// The inverse of `encrypt`.
    package func decrypt(_ encrypted: [UInt8]) -> [UInt8] {
        encryption.decrypt(encrypted, vector: vector)
    }

    private var vector: [UInt8] {
        // The vector is the count, padded to a block and then encrypted (AN12196).
        let zeros = AESKey.blockSize - TapIdentity.counterSize
        return encryption.encrypt(identity.counterBytes + [UInt8](repeating: 0, count: zeros))
    }
}
