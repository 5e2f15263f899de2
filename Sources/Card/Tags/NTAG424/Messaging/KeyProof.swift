package import CardCryptography

/// The messages that the reader and the card exchange to prove that both have a key, without
/// revealing it. Both sides share this codec.
package enum KeyProof {
    /// The capabilities of the card and the reader, as reported by the card: none.
    private static let capabilities = [UInt8](repeating: 0, count: 12)

    /// The byte that a chip in LRP mode sends in clear text before the random number.
    private static let lrpMark: UInt8 = 1

    /// The first message of a card in LRP mode.
    static func lrpChallenge(_ card: [UInt8]) -> [UInt8] { [lrpMark] + card }

    /// Whether a card's first message indicates LRP mode.
    static func showsLRPMode(_ challenge: [UInt8]) -> Bool {
        challenge.count == 1 + SecureSession.randomSize && challenge[0] == lrpMark
    }

    /// The card's first message: its random number, encrypted.
    package static func challenge(_ card: [UInt8], _ key: AESKey) -> [UInt8] { key.encrypt(card) }

    /// The reader's response: its own random number and the card's random number rotated by one
    /// byte, encrypted together.
    package static func response(_ reader: [UInt8], to challenge: [UInt8], _ key: AESKey) -> [UInt8]
    {
        key.encrypt(reader + rotated(key.decrypt(challenge)))
    }

    /// The reader's random number, as the card decodes it. `nil` if the reader does not have this
    /// key.
    package static func readerRandom(
        _ response: [UInt8], card: [UInt8], _ key: AESKey
    ) -> [UInt8]? {
        guard response.count == 2 * SecureSession.randomSize else { return nil }
        let plain = key.decrypt(response)
        guard ConstantTime.equal(Array(plain[SecureSession.randomSize...]), rotated(card)) else {
            return nil
        }
        return Array(plain[..<SecureSession.randomSize])
    }

    /// The card's last message: the reader's random number rotated by one byte and, in a first
    /// authentication, the session's number.
    package static func confirmation(
        _ reader: [UInt8], transaction: [UInt8]?, _ key: AESKey
    ) -> [UInt8] {
        // A further authentication keeps the session's number, so the card does not send one.
        guard let transaction else { return key.encrypt(rotated(reader)) }
        return key.encrypt(transaction + rotated(reader) + capabilities)
    }

    /// Checks that the card has the key, and returns the session number of a first authentication.
    package static func confirm(
        _ confirmation: [UInt8], reader: [UInt8], isFirst: Bool, _ key: AESKey
    ) throws(NTAG424Error) -> [UInt8] {
        let size = SecureSession.randomSize
        guard confirmation.count == (isFirst ? 2 * size : size) else {
            throw NTAG424Error(.malformed)
        }
        let plain = key.decrypt(confirmation)
        let transaction = isFirst ? Array(plain[..<SecureSession.transactionSize]) : []
        let returned = Array(plain[transaction.count..<(transaction.count + size)])
        // A card without the key cannot decrypt the reader's number, so it cannot return the
        // rotated number.
        guard ConstantTime.equal(returned, rotated(reader)) else { throw NTAG424Error(.impostor) }
        return transaction
    }

    private static func rotated(_ bytes: [UInt8]) -> [UInt8] {
        Array(bytes[1...]) + [bytes[0]]
    }
}
