package import CardCryptography
package import TapcardDomain
import TextCodecs

/// The values that a card writes into its URL at each read without authentication (SUN): its
/// identity and read count, part of its file, and the MAC that authenticates them.
///
/// `?p=<32 digits>&d=<64 digits>&m=<16 digits>`
package struct TapMessage: Hashable, Sendable {
    /// The length of the mirrored part of the file, in bytes.
    package static let dataSize = 32

    /// The three values as they appear in the URL.
    package let identity: String
    package let data: String
    package let code: String

    /// The content of a message whose MAC has been verified.
    package struct Content: Hashable, Sendable {
        package let identity: TapIdentity
        /// The mirrored part of the file.
        package let fileData: [UInt8]

        package init(identity: TapIdentity, fileData: [UInt8]) {
            (self.identity, self.fileData) = (identity, fileData)
        }
    }

    /// Why a message is rejected.
    package enum Refusal: Error, Hashable, Sendable {
        /// A value has the wrong length, or characters that the chip does not write.
        case malformed
        /// The identity was not encrypted with this issuer's key.
        case foreign
        /// The MAC does not match this card, count, and data.
        case forged
    }

    /// Takes the values from a URL. The chip writes only upper-case digits. Lower-case digits are
    /// refused, so that each message has only one valid form.
    package init(identity: String, data: String, code: String) throws(Refusal) {
        let sizes = [
            (identity, TapIdentity.encryptedSize), (data, TapMessage.dataSize),
            (code, TapKeys.codeSize),
        ]
        // Each byte is written as two digits.
        let isWellFormed = sizes.allSatisfy { text, size in
            text.utf8.count == 2 * size
                && text.utf8.allSatisfy {
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                        || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0)
                }
        }
        guard isWellFormed else { throw .malformed }
        (self.identity, self.data, self.code) = (identity, data, code)
    }

    /// The message of a card, as the chip would generate it.
    package init(
        _ content: Content, metaKey: AESKey, fileKey: AESKey, filling: [UInt8]
    ) {
        precondition(content.fileData.count == TapMessage.dataSize, "32 bytes are mirrored")
        let keys = TapKeys(fileKey: fileKey, identity: content.identity)
        identity = Hexadecimal.encode(content.identity.encrypted(key: metaKey, filling: filling))
        data = Hexadecimal.encode(keys.encrypt(content.fileData))
        // This is the text of `protected`, which cannot be used before `code` is set.
        code = Hexadecimal.encode(keys.code(for: "\(identity)&d=\(data)&m="))
    }

    /// Verifies the message and returns its content. `metaKey` is shared by all of the issuer's
    /// cards; `fileKey` returns the key of the card with the UID in the message.
    package func verify(
        metaKey: AESKey, fileKey: (CardUID) -> AESKey
    ) throws(Refusal) -> Content {
        guard let encrypted = Hexadecimal.decode(identity), let bytes = Hexadecimal.decode(data),
            let code = Hexadecimal.decode(code)
        else { throw .malformed }
        guard let identity = TapIdentity(decrypting: encrypted, key: metaKey) else {
            throw .foreign
        }
        let keys = TapKeys(fileKey: fileKey(identity.uid), identity: identity)
        // Checked before decrypting, so that no unauthenticated data is processed.
        guard keys.accepts(code, for: protected) else { throw .forged }
        return Content(identity: identity, fileData: keys.decrypt(bytes))
    }

    /// The query of the URL.
    package var query: String { "p=\(protected)\(code)" }

    /// The part of the URL that the MAC covers: from the first value up to the MAC.
    private var protected: String { "\(identity)&d=\(data)&m=" }
}
