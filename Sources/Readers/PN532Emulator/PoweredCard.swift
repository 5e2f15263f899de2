import SimulatedReader
import Tags

/// The state of a card while the field is on.
struct PoweredCard {
    enum Kind {
        case type2(TagSide)
        case foreign(ForeignCard)
        // This is indirect, because copying the value inline would read bytes that the compiler
        // never sets, which a memory checker reports as an error.
        indirect case ntag424(PoweredNTAG424)
    }

    let number: [UInt8]
    var kind: Kind
    var activation: TypeACardSelection

    init(_ tag: TagMemory) {
        number = tag.uid
        var side = TagSide()
        side.powerUp(tag)
        kind = .type2(side)
        activation = TypeACardSelection(
            uid: tag.uid, answerToRequest: [0x44, 0x00], selectAcknowledge: 0x00)
    }

    init(_ chip: NTAG424Memory) {
        number = chip.number
        kind = .ntag424(PoweredNTAG424())
        activation = TypeACardSelection(
            uid: chip.number, answerToRequest: [0x44, 0x03], selectAcknowledge: 0x20)
    }

    init(_ card: ForeignCard) {
        number = card.number
        kind = .foreign(card)
        activation = card.activation
    }
}

/// What a reader detects after sending a frame.
enum RadioAnswer: Hashable {
    case silence
    case frame(RadioFrame)
    /// Several cards sent different responses at the same time.
    case collision
}
