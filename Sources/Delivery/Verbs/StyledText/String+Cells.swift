import TapcardDomain

extension String {
    /// The text made safe for a terminal. File names, settings, and dumps come from other people
    /// and must not move the cursor, set colors, or reverse the writing direction.
    package var shown: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    scalar.isMisleading && scalar != "\n" && scalar != "\t" ? "\u{FFFD}" : scalar
                }))
    }

    /// The text for aligned columns. Characters whose width differs between terminals are replaced.
    package var fixedWidth: String {
        isPlain ? self : String(map { $0.hasFixedWidth ? $0 : "\u{FFFD}" })
    }

    /// The width in terminal cells.
    package var cellCount: Int {
        isPlain ? utf8.count : reduce(0) { $0 + $1.cellCount }
    }

    /// The text padded to a width with spaces at its end or, for numbers, at its beginning.
    package func padded(_ width: Int, atStart: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - cellCount))
        return atStart ? space + self : self + space
    }

    /// Whether the text is printable ASCII, which takes one cell per byte.
    private var isPlain: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}

extension Character {
    /// Code points of scripts and symbols that take up two terminal cells.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
    ]

    /// Whether the character is a single letter, possibly with accents, whose width is the same on
    /// every terminal.
    fileprivate var hasFixedWidth: Bool {
        guard let first = unicodeScalars.first, !first.isMisleading,
            first.properties.generalCategory != .format,
            first.properties.generalCategory != .nonspacingMark,
            first.properties.generalCategory != .enclosingMark
        else { return false }
        // A variation selector can turn a symbol into an emoji that is two cells wide.
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
