public import CardCryptography

/// What opens a protected tag, and what it answers.
public struct TagPassword: Hashable, Sendable {
    /// PWD, 4 bytes.
    public let password: [UInt8]
    /// PACK, 2 bytes.
    public let pack: [UInt8]

    public init(password: [UInt8], pack: [UInt8]) {
        self.password = password
        self.pack = pack
    }

    /// The password of this card under this key.
    public init(_ keys: CardKeys, uid: [UInt8]) {
        let derived = keys.password(uid: uid)
        self.init(password: derived.password, pack: derived.pack)
    }
}

extension CardStoreError {
    static let wrongPassword = CardStoreError(
        .wrongPassword, "the tag does not take the card's password")
    static let limitsPasswords = CardStoreError(
        .limitsPasswords, "the tag counts wrong passwords and closes itself after some")
    static let lockedSettings = CardStoreError(
        .lockedSettings, "the tag's settings can never be changed again")
}
