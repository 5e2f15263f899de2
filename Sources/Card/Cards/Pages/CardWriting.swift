import Tags
import TapcardDomain

extension CardLayout {
    /// The four WRITEs that put a record into one of the two slots.
    package func writes(record: [UInt8], to slot: Int) -> [PageWrite] {
        CardLayout.pages(of: record, from: recordPages[slot])
    }

    /// The writes that make phones read the new area instead of the old one: a guard that makes the
    /// message empty, the changed pages, and then the first page again.
    ///
    /// Without the guard, a torn page could show a balance made up of old and new digits. If an
    /// earlier refresh was interrupted, some pages may hold weak bits, so all of them are written.
    package func writes(
        replacing old: [UInt8], with new: [UInt8], rewritingAll: Bool
    ) -> [PageWrite] {
        guard old.count == new.count, old != new || rewritingAll else { return [] }
        let before = CardLayout.pages(of: old, from: ndefPages.lowerBound)
        let after = CardLayout.pages(of: new, from: ndefPages.lowerBound)
        let guardPage = PageWrite(ndefPages.lowerBound, CardLayout.emptyMessage)
        let wasInterrupted = isGuarded(old)
        let used = CardLayout.usedPages(of: new)
        // The first page is left out here, because it holds the guard until the others are written.
        let changed = zip(before, after).enumerated().dropFirst().compactMap { index, pair in
            // A page from an interrupted WRITE can read correctly today and lose its weak bits
            // tomorrow (rule 2).
            pair.0 != pair.1 || ((rewritingAll || wasInterrupted) && index < used) ? pair.1 : nil
        }
        // Only for the test of rule 8: without the guard, a torn refresh shows mixed digits.
        if SafetyRule.guardPage.isDisabled { return changed + after.prefix(1) }
        return [guardPage] + changed + after.prefix(1)
    }

    /// Whether a refresh of the area for phones was started but not finished.
    package func isGuarded(_ area: [UInt8]) -> Bool {
        area.starts(with: CardLayout.emptyMessage.bytes)
    }

    // An NDEF TLV of length 0 and a terminator: phones see an empty tag rather than mixed digits.
    private static let emptyMessage = Page(0x03, 0x00, 0xFE, 0x00)

    /// The number of pages that the message takes up. The zeros after it have no meaning.
    private static func usedPages(of area: [UInt8]) -> Int {
        let last = area.lastIndex { $0 != 0 } ?? 0
        return last / 4 + 1
    }

    private static func pages(of bytes: [UInt8], from first: UInt8) -> [PageWrite] {
        // Stops three bytes early, so that only whole pages are taken.
        stride(from: 0, to: bytes.count - 3, by: 4).map { start in
            let page = Page(bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3])
            return PageWrite(first + UInt8(start / 4), page)
        }
    }
}
