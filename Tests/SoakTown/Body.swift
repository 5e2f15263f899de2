import Type2Tag

/// One sticker in somebody's pocket.
package struct Body: Sendable {
    /// Why a card may be accused although nobody cheats with this body. `TapEvidence.bears` says of
    /// what.
    package enum Mark: Sendable, CaseIterable {
        /// Somebody wrote on it with a phone.
        case vandalised
        /// The ledger was put back to an earlier state.
        case restored
        /// A copy of it was used.
        case copied
        /// A key was given up.
        case keyRetired
    }

    var tag: TagMemory
    /// Pages whose last WRITE was not acknowledged, with what they held before.
    var weak: [UInt8: Page] = [:]
    var marks: Set<Mark> = []
    /// The places for records that a vandal wrote on, and nobody since.
    var spoiltPlaces: Set<Int> = []
    /// What a thief has kept of it.
    var dumps: [TagMemory] = []

    static let mostDumps = 8

    mutating func photograph(_ chance: Chance) {
        if dumps.count < Body.mostDumps {
            dumps.append(tag)
        } else {
            dumps[chance.below(dumps.count)] = tag
        }
    }
}
