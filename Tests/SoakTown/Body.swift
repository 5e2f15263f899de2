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
            // Where what phones read is torn, only the lost ledger knew for whom a record was sealed.
            case .restored: [.ledgerBehind, .cardUnknown, .damaged, .protectedTag, .outcomeUnknown]
            case .copied: [.rolledBack, .damaged, .ledgerBehind, .forged]
            case .keyRetired: [.forged, .damaged]
            }
        }
    }

    var tag: TagMemory
    /// Pages whose last WRITE was not acknowledged, with what they held before.
    var weak: [UInt8: Page] = [:]
    var marks: Set<Mark> = []
    /// What a vandal wrote stays in the place that is not in use.
    var wasVandalised = false
    /// What a thief has kept of it.
    var dumps: [TagMemory] = []

    func isExcused(_ kind: TapcardError.Kind) -> Bool {
        marks.contains { $0.excuses.contains(kind) }
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
