import CardCryptography
import TapcardDomain

/// The sum of all credits that the issuer has ever given to a card, stored in 32 bytes of the file
/// that phones read. Writing it requires the load key. The balance is the grant minus the total
/// spent.
///
/// Anyone can read that file, so the chip sends the grant without a MAC. Instead, the grant has a
/// seal, made with a key derived from the card's sell key, which lets a station detect any changed
/// bit.
package struct Grant: Hashable, Sendable {
    package static let byteCount = 32
    /// The maximum sum of credits, in minor units: 48 bits.
    package static let maximum: Int64 = 1 << 48 - 1
    static let formatVersion: UInt8 = 1
    private static let sealByteCount = 8
    /// Zeros, reserved for the terms on which a station may take offline payments.
    private static let spareByteCount = 16

    /// The sum of all credits, in minor units. It never decreases.
    package let granted: Int64

    /// The grant of a card that has had no credit.
    package static let zero = Grant(credits: 0)

    /// `nil` for credits that are negative or above `maximum`.
    package init?(_ granted: Int64) {
        guard (0...Grant.maximum).contains(granted) else { return nil }
        self.init(credits: granted)
    }

    private init(credits: Int64) { granted = credits }

    /// Reads a grant and checks its seal. `nil` if it was not sealed for this card.
    package init?(_ bytes: [UInt8], for card: SellingKey) {
        guard bytes.count == Grant.byteCount, bytes[0] == Grant.formatVersion,
            // The version of key 3: a grant sealed with an older key has to be checked with that
            // key.
            bytes[1] == card.version
        else { return nil }
        let body = Array(bytes.dropLast(Grant.sealByteCount))
        guard
            ConstantTime.equal(
                Array(bytes.suffix(Grant.sealByteCount)), Grant.seal(over: body, for: card))
        else { return nil }
        // Six bytes hold exactly the 48 bits of the maximum.
        self.init(FixedNumber.value(body[2..<8]))
    }

    /// The grant and its seal, as they are stored on this card's chip.
    package func sealed(for card: SellingKey) -> [UInt8] {
        let head = [Grant.formatVersion, card.version] + FixedNumber.bytes(granted, count: 6)
        let body = head + [UInt8](repeating: 0, count: Grant.spareByteCount)
        return body + Grant.seal(over: body, for: card)
    }

    /// The seal covers the card and the currency, so a grant is invalid on another card or in
    /// another currency.
    private static func seal(over body: [UInt8], for card: SellingKey) -> [UInt8] {
        let message =
            Array("tapcard/grant/1".utf8) + card.uid.bytes + Array(card.currency.code.utf8) + body
        return Array(card.sealKey.code(for: message).prefix(sealByteCount))
    }
}
