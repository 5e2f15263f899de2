import TapcardDomain

extension String {
    /// The text as a terminal may get it: names of files, settings and what stands in a dump are
    /// other people's words, and must not move the cursor, colour the page or turn it around.
    package var shown: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    scalar.isMisleading && scalar != "\n" && scalar != "\t" ? "\u{FFFD}" : scalar
                }))
    }

    /// The text for a place where each cell counts: what no two terminals agree on is replaced.
    package var steady: String {
        isPlain ? self : String(map { $0.isSteady ? $0 : "\u{FFFD}" })
    }

    /// How many cells of a terminal it takes.
    package var cellCount: Int {
        isPlain ? utf8.count : reduce(0) { $0 + $1.cellCount }
    }

    /// The beginning, in so many cells at most.
    package func cut(to limit: Int) -> String {
        if isPlain { return String(prefix(max(0, limit))) }
        var text = ""
        var width = 0
        for character in self {
            width += character.cellCount
            guard width <= limit else { break }
            text.append(character)
        }
        return text
    }

    /// Filled up to so many cells with spaces, at its end or, for numbers, at its beginning.
    package func padded(_ width: Int, atStart: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - cellCount))
        return atStart ? space + self : self + space
    }

    /// Whether it is of printable ASCII alone: a cell a byte.
    private var isPlain: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}

extension Character {
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
    ]

    /// Whether it is one letter, perhaps with accents, that stands where it is written.
    fileprivate var isSteady: Bool {
        guard let first = unicodeScalars.first, !first.isMisleading,
            first.properties.generalCategory != .format,
            first.properties.generalCategory != .nonspacingMark,
            first.properties.generalCategory != .enclosingMark
        else { return false }
        return unicodeScalars.dropFirst().allSatisfy {
            $0.properties.generalCategory == .nonspacingMark
                && !(0xFE00...0xFE0F).contains($0.value)
        }
    }

    fileprivate var cellCount: Int {
        guard let first = unicodeScalars.first else { return 0 }
        let isWide =
            first.properties.isEmojiPresentation
            || Character.wide.contains { $0.contains(first.value) }
        return isWide ? 2 : 1
    }
}
