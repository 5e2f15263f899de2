package import CardCryptography
import TapcardDomain

/// The two keys for one read of a card's URL. They come from its file key (SDMFileRead), its UID
/// and the count of reads, so each read has its own.
package struct TapKeys: Sendable {
    /// The length of the code in a URL, in bytes.
    package static let codeSize = AESKey.shortCodeSize

    private let identity: TapIdentity
    private let encryption: AESKey
    private let authentication: AESKey

    package init(fileKey: AESKey, identity: TapIdentity) {
        self.identity = identity
        // SV1 and SV2 of AN12196: the label, then a counter of 1 and a length of 128 bits.
        let context = [0x00, 0x01, 0x00, 0x80] + identity.uid.bytes + identity.counterBytes
        encryption = fileKey.derivedKey(for: [0xC3, 0x3C] + context)
        authentication = fileKey.derivedKey(for: [0x3C, 0xC3] + context)
    }

    /// The code for the protected part of the URL (SDMMAC), 8 bytes.
    package func code(for text: some StringProtocol) -> [UInt8] { code(over: Array(text.utf8)) }

    /// The code over raw bytes of the file, which need not be text.
    func code(over bytes: [UInt8]) -> [UInt8] { authentication.shortCode(for: bytes) }

    /// Whether a code is right for this text. The comparison takes equally long for any code.
    package func accepts(_ code: [UInt8], for text: some StringProtocol) -> Bool {
        ConstantTime.equal(code, self.code(for: text))
    }

    /// Whole blocks of a file as the chip mirrors them (SDMENCFileData).
    package func encrypt(_ fileData: [UInt8]) -> [UInt8] {
        encryption.encrypt(fileData, vector: vector)
    }

    /// The reverse of `encrypt`.
    package func decrypt(_ encrypted: [UInt8]) -> [UInt8] {
        encryption.decrypt(encrypted, vector: vector)
    }

    private var vector: [UInt8] {
        // The vector is the encrypted count, padded to a block (AN12196).
        let zeros = AESKey.blockSize - TapIdentity.counterSize
        return encryption.encrypt(identity.counterBytes + [UInt8](repeating: 0, count: zeros))
    }
}
