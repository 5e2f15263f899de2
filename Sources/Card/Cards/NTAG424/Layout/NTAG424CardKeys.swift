package import CardCryptography
package import Tags
package import TapcardDomain

/// The five keys of one card, derived from one of the issuer's keys. Only a station that makes and
/// loads cards has all of them.
package struct NTAG424CardKeys: Hashable, Sendable {
    /// The version that the chip reports for each key.
    package let version: UInt8
    private let keys: [AESKey]

    /// The keys of a chip as it leaves the factory: all zeros.
    package static let factory = NTAG424CardKeys(
        version: 0,
        keys: KeyNumber.allCases.map { _ in AESKey([UInt8](repeating: 0, count: AESKey.size)) })

    /// The keys of a card, derived from one of the issuer's keys. All cards share key 1, because
    /// the customer page has to decrypt an address to find out which card it belongs to.
    package init(_ masters: CardKeys, uid: CardUID) {
        self.init(
            version: NTAG424CardKeys.version(of: masters.keyID),
            keys: KeyNumber.allCases.map { number in
                number == .one
                    ? masters.chipMaster(number.rawValue)
                    : NTAG424CardKeys.key(number, from: masters, uid: uid)
            })
    }

    /// The version of card keys derived from the issuer's key with this ID. The factory version is
    /// 0, which is also a valid ID, so 1 is added. The addition may wrap around, because the key in
    /// `KeyRing.none` has the ID 255.
    package static func version(of keyID: UInt8) -> UInt8 { keyID &+ 1 }

    /// A key that is different for each card.
    static func key(_ number: KeyNumber, from masters: CardKeys, uid: CardUID) -> AESKey {
        KeyDiversification.key(
            from: masters.chipMaster(number.rawValue), uid: uid, number: number,
            issuer: CardKeys.issuer)
    }

    private init(version: UInt8, keys: [AESKey]) { (self.version, self.keys) = (version, keys) }

    package subscript(_ number: KeyNumber) -> AESKey { keys[Int(number.rawValue)] }
}
