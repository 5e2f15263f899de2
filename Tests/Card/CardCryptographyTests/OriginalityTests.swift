import CardCryptography
import Testing

@Suite("Originality signatures")
struct OriginalityTests {
    private static let uid = bytes("04AC6B72BA6C80")
    private static let signature = bytes(
        "2DAEBCAF84B88587C2FBFE76135886728E1D3CB5DA242344E5634D4C82FBD718")

    @Test(
        "The published signatures of genuine NTAG21x chips are accepted",
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

    @Test("A published signature of another maker's chip is refused")
    func foreign() {
        let signature = bytes("A4377DE58C2F88D80460416E3AC8CDDB19942612C5D012B0EB88057289F2A561")
        #expect(!Originality.verify(uid: bytes("041574F2B05E81"), signature: signature))
    }

    @Test("A signature with one flipped bit is refused", arguments: 0..<256)
    func flippedSignature(bit: Int) {
        var signature = Self.signature
        signature[bit / 8] ^= 1 << (bit % 8)
        #expect(!Originality.verify(uid: Self.uid, signature: signature))
    }

    @Test("A signature is refused for a UID with one flipped bit", arguments: 0..<56)
    func flippedUID(bit: Int) {
        var uid = Self.uid
        uid[bit / 8] ^= 1 << (bit % 8)
        #expect(!Originality.verify(uid: uid, signature: Self.signature))
    }

    @Test(
        "Signatures of one repeated byte, or with a zeroed half, are refused",
        arguments: [0x00, 0x01, 0x7F, 0x80, 0xFF] as [UInt8])
    func plain(byte: UInt8) {
        #expect(!Originality.verify(uid: Self.uid, signature: bytes(byte, count: 32)))
        let zeros = bytes(0, count: 16)
        let right = Array(Self.signature.prefix(16))
        #expect(!Originality.verify(uid: Self.uid, signature: right + zeros))
        #expect(!Originality.verify(uid: Self.uid, signature: zeros + right))
    }

    @Test("A signature or UID of the wrong length is refused", arguments: 0...64)
    func lengths(count: Int) {
        let long = Self.signature + Self.signature
        let isWhole = count == 32
        let prefix = Array(long.prefix(count))
        #expect(Originality.verify(uid: Self.uid, signature: prefix) == isWhole)
        let uid = Array((Self.uid + long).prefix(count))
        #expect(Originality.verify(uid: uid, signature: Self.signature) == (count == 7))
    }

    private static let dnaUID = bytes("04518DFAA96180")
    private static let dnaSignature = bytes(
        "D1940D17CFEDA4BFF80359AB975F9F6514313E8F90C1D3CAAF5941AD744A1CDF"
            + "9A83F883CAFE0FE95D1939B1B7E471139933" + "24473B785D21")

    @Test("The NTAG 424 signatures of AN12196, 7.2, and of a recorded chip are accepted")
    func dna() {
        #expect(
            Originality.verify(
                uid: Self.dnaUID, signature: Self.dnaSignature, of: .ntag424))
        let recorded = bytes(
            "03F0A17889E3063D2D01CD8750734601BC031C26812705A1BD3B7536"
                + "1604B19B762DC285DCE303A5B6DE5F2814F0449BA64AB445A7AEC4CF")
        #expect(
            Originality.verify(
                uid: bytes("04A9707A0B1090"), signature: recorded, of: .ntag424))
    }

    @Test(
        "One flipped bit in an NTAG 424 signature or UID is noticed", arguments: 0..<(56 * 8 + 56))
    func dnaFlipped(bit: Int) {
        var all = Self.dnaSignature + Self.dnaUID
        all[bit / 8] ^= 1 << (bit % 8)
        #expect(
            !Originality.verify(
                uid: Array(all.suffix(7)), signature: Array(all.prefix(56)), of: .ntag424))
    }

    @Test("A signature of one chip family is invalid for the others")
    func families() {
        let signed = [
            (Originality.Family.ntag21x, Self.uid, Self.signature),
            (.ntag424, Self.dnaUID, Self.dnaSignature),
            // Published signatures of two genuine chips.
            (
                .ultralightEV1, bytes("04C1285A373080"),
                bytes("CEA2EB0B3C95D0844A95B824A7553703B3702378033BF0987899DB70151A19E7")
            ),
            (
                .ultralightEV1, bytes("04C2285A373080"),
                bytes("A561506723D422D29ED9F93E60D20B9ED1E05CC1BF81DA19FE500CA0B81CC0ED")
            ),
        ]
        for family in Originality.Family.allCases {
            for (own, uid, signature) in signed {
                #expect(
                    Originality.verify(uid: uid, signature: signature, of: family)
                        == (family == own))
            }
        }
    }
}
