package import CardCryptography
import Tags

/// The password for a protected tag, and the tag's response to it.
package struct TagPassword: Hashable, Sendable {
    /// PWD, 4 bytes.
    package let password: [UInt8]
    /// PACK, 2 bytes.
    package let pack: [UInt8]

    /// The factory default password, which offers no protection.
    package static let factory = TagPassword(
        password: [0xFF, 0xFF, 0xFF, 0xFF], pack: [])

    package init(password: [UInt8], pack: [UInt8]) {
        self.password = password
        self.pack = pack
    }

    /// The password for this card's tag, derived from this key.
    package init(_ keys: CardKeys, uid: [UInt8]) {
        let derived = keys.password(uid: uid)
        self.init(password: derived.password, pack: derived.pack)
    }

    /// This password without an expected PACK, for a tag that only has to be unlocked: any PACK
    /// shows that it accepted the password.
    package var withoutExpectedPACK: TagPassword { TagPassword(password: password, pack: []) }

    /// What the tag's response has to be. Every PACK has two bytes.
    var expectation: BatchItem.Expectation { pack.isEmpty ? .length(2) : .bytes(pack) }

    func isAnswered(by answer: [UInt8]) -> Bool { expectation.isMet(by: answer) }
}

extension CardStoreError {
    package static let wrongPassword = CardStoreError(
        .wrongPassword, "the tag does not accept the card's password")
    package static let limitsPasswords = CardStoreError(
        .limitsPasswords, "the chip locks itself after too many wrong passwords")
    static let lockedSettings = CardStoreError(
        .lockedSettings, "the settings are permanently locked")
}
