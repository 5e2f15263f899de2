public import CardCryptography

/// The password of a protected tag, and the tag's answer to it.
public struct TagPassword: Hashable, Sendable {
    /// PWD, 4 bytes.
    public let password: [UInt8]
    /// PACK, 2 bytes.
    public let pack: [UInt8]

    public init(password: [UInt8], pack: [UInt8]) {
        self.password = password
        self.pack = pack
    }

    /// The password of this card, derived from this key.
    public init(_ keys: CardKeys, uid: [UInt8]) {
        let derived = keys.password(uid: uid)
        self.init(password: derived.password, pack: derived.pack)
    }

    /// This password without the expected answer, for a tag that is only to be opened: any answer
    /// shows that it was.
    public var withoutProof: TagPassword { TagPassword(password: password, pack: []) }

    func isAnswered(by answer: [UInt8]) -> Bool {
        pack.isEmpty ? answer.count == 2 : answer == pack
    }
}

extension CardStoreError {
    public static let wrongPassword = CardStoreError(
        .wrongPassword, "the tag does not take the card's password")
    public static let limitsPasswords = CardStoreError(
        .limitsPasswords, "the tag counts wrong passwords and closes itself after some")
    static let lockedSettings = CardStoreError(
        .lockedSettings, "the tag's settings can never be changed again")
}
