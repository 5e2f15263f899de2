import Cards
import Ledger
import Tags
import TapcardDomain

/// The content of the tag on the reader, together with what the ledger says about the card.
struct CardReading: Sendable, Hashable {
    let uid: CardUID
    let identity: TagIdentity
    let medium: Medium
    let slots: RecordSlots
    /// The decoded message for phones.
    let content: TagContent
    /// Nil if the card is not in this ledger.
    let known: KnownCard?
    /// The result of comparing the records with the ledger.
    let judgment: Judgment
    let chip: Chip

    /// The memory in which the records are stored.
    enum Medium: Sendable, Hashable {
        case pages(TagPages)
        case ntag424(NTAG424Reading)
    }

    /// Nil for a card on an NTAG 424.
    var pages: TagPages? {
        if case .pages(let pages) = medium { pages } else { nil }
    }

    var version: CardVersion? { known.map(CardVersion.init) }
    /// The number of the newest record on the tag with a valid seal.
    var highest: SequenceNumber { slots.best?.record.sequence ?? .none }
}

/// The pages of a tag, as they were read.
struct TagPages: Sendable, Hashable {
    let layout: CardLayout
    let image: CardImage
    /// The scan of the whole tag; nil if only the card's pages were read.
    let tag: ScannedTag?
}

extension CardStoreError {
    /// The error for a tag that has a card's number but a different chip model.
    static func otherChip(_ found: String, _ known: Chip) -> CardStoreError {
        CardStoreError(
            .otherChip, "the tag reports the chip model \(found), but the ledger has \(known)")
    }
}
