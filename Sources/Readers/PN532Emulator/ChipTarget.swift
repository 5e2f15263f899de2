import Tags

/// A card that the chip has listed and that the host addresses by number.
struct ChipTarget: Hashable {
    enum Kind: Hashable {
        /// Type A without ISO/IEC 14443-4: Type 2 tags, MIFARE Classic.
        case plain
        /// ISO/IEC 14443-4, which the firmware handles itself. Indirect, as in `PoweredCard.Kind`.
        indirect case block(BlockTarget)
    }

    let number: [UInt8]
    var kind: Kind
}

/// A card that the firmware has activated, and the data kept between two commands from the host.
struct BlockTarget: Hashable {
    /// `nil` if the card's answer to select is invalid.
    var reader: ReaderSide?
    /// The parts of the command for the card that the host has sent so far.
    var command: [UInt8] = []
    /// The part of the card's response that the host has not fetched yet.
    var answer: ArraySlice<UInt8> = []

    init(answerToSelect: [UInt8]) {
        reader = AnswerToSelect(frame: answerToSelect).map { ReaderSide($0) }
    }
}

/// The parameters of InListPassiveTarget.
struct ListRequest: Hashable {
    let maximumListed: Int
    /// The kind of card: 0 for type A at 106 kbit/s, 1 and 2 for FeliCa, 3 for type B, 4 for Jewel.
    let kind: UInt8
    let initiatorData: [UInt8]
}
