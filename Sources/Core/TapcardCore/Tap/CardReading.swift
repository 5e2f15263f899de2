import Cards
import Ledger
import Tags
import TapcardDomain

/// One look at the tag on the reader, with what the ledger says of it.
struct CardReading: Sendable, Hashable {
    let uid: CardUID
    let identity: TagIdentity
    let medium: Medium
    let slots: RecordSlots
    /// The message that phones read, decoded.
    let content: TagContent
    /// Nil for a card this ledger does not know.
    let known: KnownCard?
    /// The verdict on the records, compared with the ledger.
    let judgement: Judgement
    let chip: Chip

    /// The memory in which the records are.
    enum Medium: Sendable, Hashable {
        case pages(TagPages)
        case ntag424(NTAG424Reading)
    }

    /// Nil for a card on an NTAG 424.
    var pages: TagPages? {
        if case .pages(let pages) = medium { pages } else { nil }
    }

    var version: CardVersion? { known.map(CardVersion.init) }
    /// The highest number under a valid seal on the tag.
    var highest: SequenceNumber { slots.best?.record.sequence ?? .none }
}

/// The pages of a tag, as they were read.
struct TagPages: Sendable, Hashable {
    let layout: CardLayout
    let image: CardImage
    /// The result of reading all of the tag; nil for a known card.
    let tag: ScannedTag?
}

extension CardStoreError {
    /// The error of a tag on another chip than the card with its number.
    static func otherChip(_ found: String, _ known: Chip) -> CardStoreError {
        CardStoreError(
            .otherChip, "the tag reports the chip model \(found), but the ledger has \(known)")
    }
}
