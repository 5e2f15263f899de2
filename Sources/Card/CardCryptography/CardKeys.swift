/// The two master keys that share a key ID, and the card keys derived from them.
///
/// There are two because a tag's password is sent in clear text, so the password must reveal
/// nothing about the key that seals records. The master keys appear in no description or dump.
public struct CardKeys: Hashable, Sendable {
    /// The length of a master key, in bytes.
    public static let masterSize = 32

    /// The issuer name used in deriving the keys of every NTAG 424.
    package static let issuer = Array("tapcard".utf8)

    /// The ID of the key, stored in every record.
    public let keyID: UInt8
    private let mac: Secret
    private let pwd: Secret

    /// Creates the keys from two master keys of 32 bytes each.
    public init(macMaster: [UInt8], passwordMaster: [UInt8], keyID: UInt8) {
        self.keyID = keyID
        mac = Secret(macMaster)
        pwd = Secret(passwordMaster)
    }

    /// The 32 bytes used to derive the keys that seal records. Secret.
    public var macMaster: [UInt8] { mac.bytes }
    /// The 32 bytes used to derive tag passwords. Secret.
    public var passwordMaster: [UInt8] { pwd.bytes }

    /// The 32-byte key that seals this card's records.
    public func cardKey(uid: [UInt8]) -> [UInt8] {
        derive(from: mac, info: Array("mac".utf8) + [keyID] + uid, count: 32)
    }

    /// The password for this card's tag. The derivation includes a counter, to skip passwords of
    /// all zeros or all ones, which are common defaults.
    public func password(uid: [UInt8]) -> CardPassword {
        var bytes: [UInt8] = []
        // About one UID in two billion needs a second round. CardKeysTests includes such a UID.
        for counter in 0...UInt8.max {
            let info = Array("pwd".utf8) + [keyID, counter] + uid
            // PWD takes four of the bytes, and PACK the other two.
            bytes = derive(from: pwd, info: info, count: 6)
            let isTrivial =
                bytes[..<4].allSatisfy { $0 == 0 } || bytes[..<4].allSatisfy { $0 == 0xFF }
            if !isTrivial { break }
        }
        return CardPassword(password: Array(bytes.prefix(4)), pack: Array(bytes.suffix(2)))
    }

    /// The 32-byte key that seals one of a station's files. Each purpose has its own key.
    public func fileKey(for purpose: String) -> [UInt8] {
        derive(from: mac, info: Array("file".utf8) + [keyID] + Array(purpose.utf8), count: 32)
    }

    /// The 32-byte seal of this text, which can be made only with the key for this purpose.
    package func seal(of text: [UInt8], for purpose: String) -> [UInt8] {
        HMACSHA256.code(for: text, key: fileKey(for: purpose))
    }

    /// The master key for one of the five keys of an NTAG 424. Each is derived separately, so a
    /// machine can have one without the others.
    package func chipMaster(_ number: UInt8) -> AESKey {
        // The key number is part of the label, so none of the five keys reveals another.
        var bytes = derive(
            from: mac, info: Array("ntag424".utf8) + [keyID, number], count: AESKey.size)
        return AESKey(wiping: &bytes)
    }

    private func derive(from master: Secret, info: [UInt8], count: Int) -> [UInt8] {
        HKDFSHA256.derive(
            secret: master.bytes, salt: Array("tapcard".utf8), info: info, count: count)
    }
}
