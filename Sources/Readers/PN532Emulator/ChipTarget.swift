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
    /// `nil` if the card's answer to its activation is invalid.
    var reader: ReaderSide?
    /// The parts received so far of a card command that the host sends in several parts.
    var command: [UInt8] = []
    /// The part of an answer that the host has not fetched yet.
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
