import CardCryptography
import Testing

@Suite("Keys and passwords of a card")
struct CardKeysTests {
    private let uid = bytes("04AC6B72BA6C80")
    private let keys = CardKeys(
        macMaster: Array(0x00...0x1F), passwordMaster: Array(0x20...0x3F), keyID: 1)

    @Test("Card key, password and PACK match the examples of the format")
    func examples() {
        let cardKey = "744eea2297702dd13d48c7500697e9bd46a53f3438f698790e4c6ffc88eb2234"
        #expect(keys.cardKey(uid: uid) == bytes(cardKey))
        #expect(keys.password(uid: uid).password == bytes("3096a7de"))
        #expect(keys.password(uid: uid).pack == bytes("d1a1"))
    }

    /// This UID was searched for: with counter 0 the example's master gives `00000000 57e6`.
    @Test("A password of all zeros is skipped and the next one is derived")
    func plainPassword() {
        let uid = bytes("04009098295580")
        func derived(counter: UInt8) -> [UInt8] {
            HKDFSHA256.derive(
                secret: Array(0x20...0x3F), salt: Array("tapcard".utf8),
                info: Array("pwd".utf8) + [1, counter] + uid, count: 6)
        }
        #expect(derived(counter: 0).prefix(4) == [0, 0, 0, 0])
        let password = keys.password(uid: uid)
        #expect(password.password + password.pack == derived(counter: 1))
    }

    @Test("A different UID, key id or master gives different keys and passwords")
    func separation() {
        // A password, or even the key of all passwords, does not give a seal.
        let otherPasswords = CardKeys(
            macMaster: Array(0x00...0x1F), passwordMaster: Array(0x21...0x40), keyID: 1)
        #expect(otherPasswords.cardKey(uid: uid) == keys.cardKey(uid: uid))
        #expect(otherPasswords.password(uid: uid) != keys.password(uid: uid))
        let others = [
            CardKeys(macMaster: Array(0...31), passwordMaster: Array(32...63), keyID: 2),
            CardKeys(macMaster: Array(1...32), passwordMaster: Array(33...64), keyID: 1),
        ]
        for other in others {
            #expect(other.cardKey(uid: uid) != keys.cardKey(uid: uid))
            #expect(other.password(uid: uid) != keys.password(uid: uid))
        }
        #expect(keys.cardKey(uid: bytes("04AC6B72BA6C81")) != keys.cardKey(uid: uid))
        #expect(keys.password(uid: bytes("04AC6B72BA6C81")) != keys.password(uid: uid))
    }

    @Test("The MAC master does not affect the password, nor the password master the card key")
    func purposes() {
        let otherMAC = CardKeys(
            macMaster: bytes(9, count: 32), passwordMaster: Array(0x20...0x3F), keyID: 1)
        #expect(otherMAC.password(uid: uid) == keys.password(uid: uid))
        let otherPassword = CardKeys(
            macMaster: Array(0x00...0x1F), passwordMaster: bytes(9, count: 32), keyID: 1)
        #expect(otherPassword.cardKey(uid: uid) == keys.cardKey(uid: uid))
    }
}
