/// The identification that a tag sends when it is selected (ISO/IEC 14443-3 type A).
public struct TagIdentity: Hashable, Sendable {
    /// The UID: 4, 7 or 10 bytes. It names a card but proves nothing, because anyone can make a tag
    /// with any UID.
    public let uid: [UInt8]
    /// The answer to the request, 0044h for the NTAG21x family.
    public let answerToRequest: UInt16
    /// The select acknowledge: 00h for a Type 2 tag.
    public let selectAcknowledge: UInt8

    /// Creates the identity of a tag from its answers to the selection.
    public init(uid: [UInt8], answerToRequest: UInt16 = 0x0044, selectAcknowledge: UInt8 = 0) {
        self.uid = uid
        self.answerToRequest = answerToRequest
        self.selectAcknowledge = selectAcknowledge
    }

    /// Whether the number was drawn for this selection, as phones, passports and some chips do.
    package var hidesNumber: Bool { uid.count == 4 && uid[0] == TagIdentity.drawn }

    private static let drawn: UInt8 = 0x08

    /// Whether the card takes commands in blocks of ISO/IEC 14443-4.
    public var speaksInBlocks: Bool { selectAcknowledge & 0x20 != 0 }

    /// Whether the tag understands the Type 2 commands.
    public var isType2: Bool { selectAcknowledge & 0x60 == 0 && answerToRequest & 0x0F00 == 0 }
}
