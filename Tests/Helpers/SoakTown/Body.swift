import FaultyWorld
import Tags

/// One tag in somebody's pocket.
package struct Body: Sendable {
    /// Why a card may be accused although its holder never cheated. `TapEvidence.bears` says of
    /// what.
    package enum Mark: Sendable, CaseIterable {
        /// Somebody wrote on it with a phone.
        case vandalised
        /// The ledger was restored to an earlier state.
        case restored
        /// A copy of it was used.
        case copied
        /// A key was retired.
        case keyRetired
    }

    var memory: CardMemory
    /// Pages whose last WRITE was not acknowledged, with their earlier content.
    var weak: [UInt8: Page] = [:]
    var marks: Set<Mark> = []
    /// The slots whose last writer was a vandal.
    var spoiltPlaces: Set<Int> = []
    /// The thieves' copies of it.
    var dumps: [CardMemory] = []

    static let mostDumps = 8

    mutating func photograph(_ chance: Chance) {
        if dumps.count < Body.mostDumps {
            dumps.append(memory)
        } else {
            dumps[chance.below(dumps.count)] = memory
        }
    }

    /// The tag with pages; nil for an NTAG 424.
    var tag: TagMemory? {
        if case .pages(let tag) = memory { tag } else { nil }
    }

    /// The NTAG 424; nil for a tag with pages.
    var chip: NTAG424Memory? {
        if case .chip(let chip) = memory { chip } else { nil }
    }

    /// Writes a page of a tag that has pages.
    mutating func set(_ page: UInt8, _ content: Page) {
        guard var tag else { return }
        tag[page] = content
        memory = .pages(tag)
    }
}
