import CardCryptography
import Testing

@Suite("Originality signature")
struct OriginalityTests {
    private static let uid = bytes("04AC6B72BA6C80")
    private static let signature = bytes(
        "2DAEBCAF84B88587C2FBFE76135886728E1D3CB5DA242344E5634D4C82FBD718")

    @Test(
        "Public examples of genuine chips",
        arguments: [
            (
                "04AC6B72BA6C80",
                "2DAEBCAF84B88587C2FBFE76135886728E1D3CB5DA242344E5634D4C82FBD718"
            ),
            (
                "04D9650A325E80",
                "482AF2010FF2F5A79AD5796ECB14544898D1575D8A23A9B0E820023ECDC816DB"
            ),
        ])
    func genuine(uid: String, signature: String) {
        #expect(Originality.verify(uid: bytes(uid), signature: bytes(signature)))
    }

    @Test("A public example of a chip by someone else")
    func foreign() {
        let signature = bytes("A4377DE58C2F88D80460416E3AC8CDDB19942612C5D012B0EB88057289F2A561")
        #expect(!Originality.verify(uid: bytes("041574F2B05E81"), signature: signature))
    }

    @Test("A flipped bit in the signature is noticed", arguments: 0..<256)
    func flippedSignature(bit: Int) {
        var signature = Self.signature
        signature[bit / 8] ^= 1 << (bit % 8)
        #expect(!Originality.verify(uid: Self.uid, signature: signature))
    }

    @Test("A flipped bit in the UID is noticed", arguments: 0..<56)
    func flippedUID(bit: Int) {
        var uid = Self.uid
        uid[bit / 8] ^= 1 << (bit % 8)
        #expect(!Originality.verify(uid: uid, signature: Self.signature))
    }

    @Test("Signatures that no signer makes", arguments: [0x00, 0x01, 0x7F, 0x80, 0xFF] as [UInt8])
    func plain(byte: UInt8) {
        #expect(!Originality.verify(uid: Self.uid, signature: bytes(byte, count: 32)))
        let zeros = bytes(0, count: 16)
        let right = Array(Self.signature.prefix(16))
        #expect(!Originality.verify(uid: Self.uid, signature: right + zeros))
        #expect(!Originality.verify(uid: Self.uid, signature: zeros + right))
    }

    @Test("Every other length is refused", arguments: 0...64)
    func lengths(count: Int) {
        let long = Self.signature + Self.signature
        let isWhole = count == 32
        let prefix = Array(long.prefix(count))
        #expect(Originality.verify(uid: Self.uid, signature: prefix) == isWhole)
        let uid = Array((Self.uid + long).prefix(count))
        #expect(Originality.verify(uid: uid, signature: Self.signature) == (count == 7))
    }
}
