import Tags
import TapcardDomain

extension CardLayout {
    /// The four WRITEs that store a record in one of the two slots.
    package func writes(record: [UInt8], to slot: Int) -> [PageWrite] {
        CardLayout.pages(of: record, from: recordPages[slot])
    }

    /// The writes that replace the content of the area for phones: a guard on the first page, which
    /// makes the message empty, then the changed pages, and finally the real first page.
    ///
    /// Without the guard, phones could show a balance that mixes old and new digits after an
    /// interruption. If an earlier refresh was interrupted, some pages may hold weak bits, so every
    /// page that the new message uses is written.
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
            // After an interrupted WRITE, a page can read correctly now and still lose weak bits
            // later (rule 2).
            pair.0 != pair.1 || ((rewritingAll || wasInterrupted) && index < used) ? pair.1 : nil
        }
        // Only for testing rule 8: without the guard, an interrupted refresh shows mixed digits.
        if SafetyRule.guardPage.isDisabled { return changed + after.prefix(1) }
        return [guardPage] + changed + after.prefix(1)
    }

    /// Whether a refresh of the area for phones was started but not finished.
    package func isGuarded(_ area: [UInt8]) -> Bool {
        area.starts(with: CardLayout.emptyMessage.bytes)
    }

    // An NDEF TLV of length 0 and a terminator: phones see an empty tag rather than mixed digits.
    private static let emptyMessage = Page(0x03, 0x00, 0xFE, 0x00)

    /// The number of pages that the message takes up, without the zeros that pad the area.
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
