import CardCryptography
import TapcardDomain

/// The sum of all credits that the issuer has ever given to a card: 32 bytes in the file for
/// phones, which only the load key writes. The card's balance is the grant less what was spent.
///
/// The chip sends them without a code of its own, because everybody may read that file. So they
/// carry a seal of the card's sell key: a station knows that no bit was changed on the way.
package struct Grant: Hashable, Sendable {
    package static let byteCount = 32
    /// The highest sum of credits, in minor units: 48 bits.
    package static let most: Int64 = 1 << 48 - 1
    static let formatVersion: UInt8 = 1
    private static let sealByteCount = 8
    /// Zeros, for the terms on which a station may take offline payments.
    private static let spareByteCount = 16

    /// The sum of all credits, in minor units. It never falls.
    package let granted: Int64

    /// Nil for credits below 0 or above `most`.
    package init?(_ granted: Int64) {
        guard (0...Grant.most).contains(granted) else { return nil }
        self.granted = granted
    }

    /// Reads a grant and proves its seal. Nil for anything that was not sealed for this card.
    package init?(_ bytes: [UInt8], for card: SellingKey) {
        guard bytes.count == Grant.byteCount, bytes[0] == Grant.formatVersion,
            bytes[1] == card.version
        else { return nil }
        let body = Array(bytes.dropLast(Grant.sealByteCount))
        guard
            ConstantTime.equal(
                Array(bytes.suffix(Grant.sealByteCount)), Grant.seal(over: body, for: card))
        else { return nil }
        self.init(FixedNumber.value(body[2..<8]))
    }

    /// The bytes as they are on the chip of this card.
    package func sealed(for card: SellingKey) -> [UInt8] {
        let head = [Grant.formatVersion, card.version] + FixedNumber.bytes(granted, count: 6)
        let body = head + [UInt8](repeating: 0, count: Grant.spareByteCount)
        return body + Grant.seal(over: body, for: card)
    }

    /// The seal names the card and the currency, so that a grant is worth nothing elsewhere.
    private static func seal(over body: [UInt8], for card: SellingKey) -> [UInt8] {
        let message =
            Array("tapcard/grant/1".utf8) + card.uid.bytes + Array(card.currency.code.utf8) + body
        return Array(card.sealKey.code(for: message).prefix(sealByteCount))
    }
}
