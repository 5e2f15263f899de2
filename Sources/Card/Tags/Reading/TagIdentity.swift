/// The data that a tag returned during selection (ISO/IEC 14443-3 type A). For any other kind of
/// card, it contains only the family that the reader reports.
public struct TagIdentity: Hashable, Sendable {
    /// The card families that readers distinguish.
    public enum Family: UInt8, Sendable, CaseIterable {
        /// ISO/IEC 14443 type A.
        case typeA
        /// ISO/IEC 14443 type B.
        case typeB
        /// FeliCa.
        case felica
        /// ISO/IEC 15693.
        case vicinity
    }

    /// The UID: 4, 7, or 10 bytes. It identifies a card but proves nothing, because anyone can make
    /// a tag with any UID.
    public let uid: [UInt8]
    /// The card's ATQA: 0044h for NTAG21x. If the reader reports only the card type, this is
    /// `notReported`, and `selectAcknowledge` (SAK) is inferred from that type.
    public let answerToRequest: UInt16
    /// The select acknowledge: 00h for a Type 2 tag.
    public let selectAcknowledge: UInt8
    /// The family of the card. The other properties apply only to type A cards.
    public let family: Family

    /// Creates the identity of a tag from the data that it returned during selection.
    public init(
        uid: [UInt8], answerToRequest: UInt16 = 0x0044, selectAcknowledge: UInt8 = 0,
        family: Family = .typeA
    ) {
        self.uid = uid
        self.family = family
        self.answerToRequest = answerToRequest
        self.selectAcknowledge = selectAcknowledge
    }

    /// Marks a value that the reader did not report. Real cards never send 0.
    package static let notReported: UInt16 = 0

    /// Whether the UID is random, as on phones, passports, and some chips.
    package var hasRandomUID: Bool { uid.count == 4 && uid[0] == TagIdentity.randomMark }

    // The first byte of a random UID (ISO/IEC 14443-3).
    private static let randomMark: UInt8 = 0x08

    /// Whether the card accepts commands in ISO/IEC 14443-4 blocks.
    public var usesBlocks: Bool { family == .typeA && selectAcknowledge & 0x20 != 0 }

    /// Whether the tag is a Type 2 tag: its selection data indicates no other protocol.
    public var isType2: Bool {
        // SAK bit 20h means ISO/IEC 14443-4, and 40h means NFC-DEP; MIFARE Classic sets 08h or 10h.
        family == .typeA && selectAcknowledge & ~0x84 == 0 && answerToRequest & 0x0F00 == 0
    }

    /// The memory size of a MIFARE Classic or similar card; nil for other cards.
    package var sectorByteCount: Int? {
        guard family == .typeA else { return nil }
        return switch selectAcknowledge {
        case 0x09: 320
        case 0x08, 0x88: 1024
        case 0x10, 0x19: 2048
        case 0x11, 0x18, 0x98: 4096
        default: nil
        }
    }

    /// The chip's maker according to the UID; nil if the UID does not identify it.
    package var maker: String? {
        // Only UIDs of 7 and 10 bytes begin with the maker's number (ISO/IEC 7816-6).
        guard family == .typeA, uid.count > 4 else { return nil }
        return switch uid[0] {
        case 0x02: "STMicroelectronics"
        case 0x04: "NXP Semiconductors"
        case 0x05: "Infineon Technologies"
        case 0x07: "Texas Instruments"
        case 0x08: "Fujitsu"
        case 0x0E: "Samsung Electronics"
        case 0x16: "EM Microelectronic-Marin"
        case 0x1A: "Sony"
        case 0x1D: "Shanghai Fudan Microelectronics"
        case 0x28: "Ricoh"
        case 0x2B: "Maxim Integrated"
        case 0x2E: "Broadcom"
        case 0x33: "AMIC Technology"
        case 0x34: "Mikron"
        case 0x37: "Thinfilm"
        case 0x39: "Silicon Craft Technology"
        case 0x3F: "ams"
        case 0x42: "3ALogics"
        case 0x53: "Shanghai Feiju Microelectronics"
        case 0x5F: "Nordic Semiconductor"
        default: nil
        }
    }

    /// The kind of card, according to its selection data.
    package var kind: String {
        switch family {
        case .typeB: return "type B card"
        case .felica: return "FeliCa card"
        case .vicinity: return "ISO/IEC 15693 tag"
        case .typeA: break
        }
        return switch selectAcknowledge {
        case 0x00 where isType2: "Type 2 tag"
        case 0x08, 0x88: "MIFARE Classic 1K"
        case 0x09: "MIFARE Mini"
        case 0x10: "MIFARE Plus 2K"
        case 0x11: "MIFARE Plus 4K"
        case 0x18, 0x98: "MIFARE Classic 4K"
        case 0x19: "MIFARE Classic 2K"
        case 0x28: "smart card with emulated MIFARE Classic 1K"
        case 0x38: "smart card with emulated MIFARE Classic 4K"
        // Checked after the exact values, because some of them also have this bit.
        case _ where usesBlocks: "smart card (ISO/IEC 14443-4)"
        case _ where selectAcknowledge & 0x40 != 0: "phone or other device (NFC-DEP)"
        default: "type A card"
        }
    }
}
