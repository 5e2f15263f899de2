package import CardCryptography
import Tags
package import TapcardDomain

/// The key that sells to one card, with what it vouches for.
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

    /// The key of a card that the issuer's key has made.
    package init(of uid: CardUID, from masters: CardKeys, _ currency: Currency) {
        self.init(
            uid: uid, version: NTAG424CardKeys.version(of: masters.keyID),
            key: NTAG424CardKeys.key(.three, from: masters, uid: uid), currency: currency)
    }

    /// The key of a card as a station has it; nil for a card that is not in its table.
    package init?(of uid: CardUID, from entry: KeyEntry, _ currency: Currency) {
        if let masters = entry.masters {
            self.init(of: uid, from: masters, currency)
        } else if let key = entry.rows?.selling(of: uid.bytes) {
            self.init(
                uid: uid, version: NTAG424CardKeys.version(of: entry.id), key: key,
                currency: currency)
        } else {
            return nil
        }
    }

    package init(uid: CardUID, version: UInt8, key: AESKey, currency: Currency) {
        (self.uid, self.version, self.key, self.currency) = (uid, version, key, currency)
        sealKey = key.derivedKey(for: Array("tapcard/seal of grants".utf8))
    }
}
