package import CardCryptography
import Tags
package import TapcardDomain

/// The key for taking payments from one card, and the data needed to check the seal on the card's
/// grant.
package struct SellingKey: Hashable, Sendable {
    package let uid: CardUID
    /// The version that the chip reports for the key.
    package let version: UInt8
    /// Key 3 of the card.
    package let key: AESKey
    package let currency: Currency
    /// The key that seals grants. It is a separate key, so that no response from the chip during an
    /// authentication can be mistaken for a seal.
    let sealKey: AESKey

    /// The key of a card, derived from the issuer's master keys.
    package init(of uid: CardUID, from masters: CardKeys, _ currency: Currency) {
        self.init(
            uid: uid, version: NTAG424CardKeys.version(of: masters.keyID),
            key: NTAG424CardKeys.key(.three, from: masters, uid: uid), currency: currency)
    }

    package init(uid: CardUID, version: UInt8, key: AESKey, currency: Currency) {
        (self.uid, self.version, self.key, self.currency) = (uid, version, key, currency)
        sealKey = key.derivedKey(for: Array("tapcard/seal of grants".utf8))
    }
}
