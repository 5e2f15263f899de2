package import CardCryptography
package import TapcardDomain

/// Keys for individual cards, derived from one master key (AN10922, AES-128). A card's key reveals
/// nothing about the master key or about another card's key.
package enum KeyDiversification {
    /// The input lengths, in bytes, for which the constant and the input take up two blocks.
    /// Shorter input would give a different key: the application note pads it to two blocks, but
    /// CMAC only to one.
    package static let inputSizes = 16...31
    /// The byte that distinguishes AES-128 from the application note's other derivations.
    private static let constant: UInt8 = 0x01

    /// The key derived from this input. A length outside `inputSizes` is a programming error.
    package static func key(from master: AESKey, input: [UInt8]) -> AESKey {
        precondition(inputSizes.contains(input.count), "AN10922 takes 16 to 31 bytes of input")
        return master.derivedKey(for: [constant] + input)
    }

    /// One key of a card, which differs by card, key number, and issuer.
    package static func key(
        from master: AESKey, uid: CardUID, number: KeyNumber, issuer: [UInt8]
    ) -> AESKey {
        key(
            from: master,
            input: uid.bytes + NTAG424Application.identifier + [number.rawValue] + issuer)
    }
}
