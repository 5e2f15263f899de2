public import TapcardDomain
import TextCodecs

/// The chips that tapcard can write to.
extension Type2Chip {
    /// All chips that tapcard supports.
    public static let known = Chip.allCases.compactMap(Type2Chip.init)

    /// The chip for this model; `nil` for a model without pages.
    public init?(_ model: Chip) {
        switch model {
        case .ntag213: self = .ntag213
        case .ntag215: self = .ntag215
        case .ntag216: self = .ntag216
        case .ntag424: return nil
        }
    }

    /// NTAG213: 45 pages, 36 of them for content.
    public static let ntag213 = Type2Chip(
        model: .ntag213, pageCount: 45, userPages: 0x04...0x27, dynamicLockPage: 0x28,
        configurationPage: 0x29, version: [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03],
        // The third byte gives the size in units of eight bytes: 144 bytes here, and 496 and 872 on
        // the other two chips.
        factoryCapability: Page(0xE1, 0x10, 0x12, 0x00),
        // Only an NTAG213 has a Lock Control TLV (01 03 A0 0C 34) before the empty message.
        factoryUser: [Page(0x01, 0x03, 0xA0, 0x0C), Page(0x34, 0x03, 0x00, 0xFE)],
        zeroPages: nil, pagesPerDynamicLock: 2,
        signedExample: SignedExample(
            uid: "04AC6B72BA6C80",
            signature: "2DAEBCAF84B88587C2FBFE76135886728E1D3CB5DA242344E5634D4C82FBD718"))

    /// NTAG215: 135 pages, 126 of them for content.
    public static let ntag215 = Type2Chip(
        model: .ntag215, pageCount: 135, userPages: 0x04...0x81, dynamicLockPage: 0x82,
        configurationPage: 0x83, version: [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x11, 0x03],
        factoryCapability: Page(0xE1, 0x10, 0x3E, 0x00),
        factoryUser: [Page(0x03, 0x00, 0xFE, 0x00)],
        zeroPages: 0x80...0x81, pagesPerDynamicLock: 16, signedExample: nil)

    /// NTAG216: 231 pages, 222 of them for content.
    public static let ntag216 = Type2Chip(
        model: .ntag216, pageCount: 231, userPages: 0x04...0xE1, dynamicLockPage: 0xE2,
        configurationPage: 0xE3, version: [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x13, 0x03],
        factoryCapability: Page(0xE1, 0x10, 0x6D, 0x00),
        factoryUser: [Page(0x03, 0x00, 0xFE, 0x00)],
        zeroPages: 0xDE...0xE1, pagesPerDynamicLock: 16,
        signedExample: SignedExample(
            uid: "04D9650A325E80",
            signature: "482AF2010FF2F5A79AD5796ECB14544898D1575D8A23A9B0E820023ECDC816DB"))
}

/// The UID of a real chip, with the maker's signature for it.
public struct SignedExample: Hashable, Sendable {
    /// The UID that was signed.
    public let uid: [UInt8]
    /// The maker's signature for that UID.
    public let signature: [UInt8]

    /// Takes both as hexadecimal digits.
    fileprivate init(uid: String, signature: String) {
        // Both are literals in this file, so decoding them cannot fail.
        self.uid = Hexadecimal.decode(uid) ?? []
        self.signature = Hexadecimal.decode(signature) ?? []
    }
}
