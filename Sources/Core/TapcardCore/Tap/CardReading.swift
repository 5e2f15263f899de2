import Cards
import Ledger
import Tags
import TapcardDomain

/// One reading of the tag on the reader, together with what the ledger says about it.
struct CardReading: Sendable, Hashable {
    let uid: CardUID
    let identity: TagIdentity
    let medium: Medium
    let slots: RecordSlots
    /// The message for phones, decoded.
    let content: TagContent
    /// Nil if this ledger does not know the card.
    let known: KnownCard?
    /// The verdict on the records after comparing them with the ledger.
    let judgement: Judgement
    let chip: Chip

    /// The memory that holds the records.
    enum Medium: Sendable, Hashable {
        case pages(TagPages)
        case ntag424(NTAG424Reading)
    }

    /// Nil for a card on an NTAG 424.
    var pages: TagPages? {
        if case .pages(let pages) = medium { pages } else { nil }
    }

    var version: CardVersion? { known.map(CardVersion.init) }
    /// The highest number with a valid seal on the tag.
    var highest: SequenceNumber { slots.best?.record.sequence ?? .none }
}

/// The pages of a tag, as read.
struct TagPages: Sendable, Hashable {
    let layout: CardLayout
    let image: CardImage
    /// The scan of the whole tag; nil if only the card's pages were read.
    let tag: ScannedTag?
}

extension CardStoreError {
    /// The error for a tag whose chip differs from that of the card with its number.
    static func otherChip(_ found: String, _ known: Chip) -> CardStoreError {
        CardStoreError(
            .otherChip, "the tag reports the chip model \(found), but the ledger has \(known)")
    }
}
