package import Tags
package import TapcardDomain

/// The memory that a card keeps without power: the pages of a tag, or an NTAG 424.
package enum CardMemory: Hashable, Sendable {
    case pages(TagMemory)
    case chip(NTAG424Memory)

    /// A card from the factory. Nil for a UID that is not seven bytes long.
    package init?(blank chip: Chip, uid: [UInt8]) {
        if let type2 = Type2Chip(chip) {
            guard let tag = TagMemory.blank(type2, uid: uid) else { return nil }
            self = .pages(tag)
        } else {
            guard let memory = NTAG424Memory(factory: uid) else { return nil }
            self = .chip(memory)
        }
    }

    package var uid: [UInt8] {
        switch self {
        case .pages(let tag): tag.uid
        case .chip(let chip): chip.number
        }
    }

    /// The chip, if tapcard keeps cards on it.
    package var model: Chip? {
        switch self {
        case .pages(let tag): tag.chip.model
        case .chip: .ntag424
        }
    }

    /// Hashes what a tap changes.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .pages(let tag): hasher.combine(tag.pages)
        case .chip(let chip):
            hasher.combine(chip[.data].bytes)
            hasher.combine(chip.keys.map(\.version))
        }
    }
}
