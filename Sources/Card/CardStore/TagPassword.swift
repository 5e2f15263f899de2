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

    /// The same for a tag that is only to be opened: whatever it answers, it has been.
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
