package import CardCryptography
import Ntag424
package import TapcardDomain

/// All that a station needs to sell to one card: a row of its table of card keys.
package struct SellingKey: Hashable, Sendable {
    package let uid: CardUID
    /// The version of the key, which the chip reports.
    package let version: UInt8
    /// Key 3 of the card.
    package let key: AESKey
    package let currency: Currency
    /// The key under the seal of a grant. A key of its own, so that no answer of the chip in an
    /// authentication can be a seal.
    let sealKey: AESKey

    /// The key of a card that the house's key has made.
    package init(of uid: CardUID, from masters: CardKeys, _ currency: Currency) {
        self.init(
            uid: uid, version: ChipCardKeys.version(of: masters.keyID),
            key: ChipCardKeys.key(.three, from: masters, uid: uid), currency: currency)
    }

    package init(uid: CardUID, version: UInt8, key: AESKey, currency: Currency) {
        (self.uid, self.version, self.key, self.currency) = (uid, version, key, currency)
        sealKey = key.derivedKey(for: Array("tapcard/seal of grants".utf8))
    }
}
