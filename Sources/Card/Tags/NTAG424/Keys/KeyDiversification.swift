package import CardCryptography
package import TapcardDomain

/// Keys of single cards, made of one master key (AN10922, AES-128). A card's key reveals nothing
/// about the master, nor about another card's key.
package enum KeyDiversification {
    /// The lengths of input that the note pads to two blocks, in bytes, without its constant.
    /// Shorter input would be padded to one block by the code itself.
    package static let inputSizes = 16...31
    /// The byte that tells AES-128 from the other derivations of the note.
    private static let constant: UInt8 = 0x01

    /// The key for some input. Another length than `inputSizes` is a programming error.
    package static func key(from master: AESKey, input: [UInt8]) -> AESKey {
        precondition(inputSizes.contains(input.count), "AN10922 takes 16 to 31 bytes of input")
        return master.derivedKey(for: [constant] + input)
    }

    /// One key of a card: other bytes for each card, key number and issuer.
    package static func key(
        from master: AESKey, uid: CardUID, number: KeyNumber, issuer: [UInt8]
    ) -> AESKey {
        key(
            from: master,
            input: uid.bytes + NTAG424Application.identifier + [number.rawValue] + issuer)
    }
}
