import TapcardCore
import Type2Tag

/// One sticker in somebody's pocket.
struct Body: Sendable {
    /// Why a card may be accused although nobody cheats with this body.
    enum Mark: Sendable {
        /// Somebody wrote on it with a phone.
        case vandalised
        /// The ledger was put back to an earlier state.
        case restored
        /// A copy of it was used.
        case copied
        /// A key was given up.
        case keyRetired

        /// What may be said of it then.
        var excuses: [TapcardError.Kind] {
            switch self {
            case .vandalised: [.damaged, .rolledBack, .forged]
            case .restored:
                [.ledgerBehind, .cardUnknown, .damaged, .protectedTag, .outcomeUnknown]
            case .copied: [.rolledBack, .damaged]
            case .keyRetired: [.forged, .damaged]
            }
        }
    }

    var tag: TagMemory
    /// Pages whose last WRITE was not acknowledged, with what they held before.
    var weak: [UInt8: Page] = [:]
    var marks: Set<Mark> = []
    /// The places for records that a vandal wrote on, and nobody since.
    var spoiltPlaces: Set<Int> = []
    /// What a thief has kept of it.
    var dumps: [TagMemory] = []

    /// Why this may be said of the card.
    func excuses(of kind: TapcardError.Kind) -> [Mark] {
        marks.filter { $0.excuses.contains(kind) }
    }

    static let mostDumps = 8

    mutating func photograph(_ chance: Chance) {
        if dumps.count < Body.mostDumps {
            dumps.append(tag)
        } else {
            dumps[chance.below(dumps.count)] = tag
        }
    }
}
