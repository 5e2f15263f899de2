import TapcardDomain

/// How a piece of a line looks where there is colour.
enum BoardStyle: Hashable, Sendable {
    case plain, title, faint, good, bad
    case colour(Int)
    case blackPeg, whitePeg

    /// What a terminal is told; what it says is never said by colour alone.
    var codes: String {
        switch self {
        case .plain: ""
        case .title: "1"
        case .faint: "2"
        case .good: "32"
        case .bad: "31"
        case .colour(let number): BoardStyle.colours[(number - 1) % BoardStyle.colours.count]
        case .blackPeg: "97;40"
        case .whitePeg: "30;107"
        }
    }

    private static let colours = [
        "97;41", "30;42", "30;43", "97;44", "97;45", "30;46",
        "30;47", "97;100", "30;101", "30;102", "30;104", "30;105",
    ]
}

/// A line of the screen, made of pieces.
struct StyledLine: Hashable, Sendable {
    struct Piece: Hashable, Sendable {
        let text: String
        let style: BoardStyle
    }

    private(set) var pieces: [Piece] = []
    private(set) var width = 0

    init() {}

    /// What others wrote must not move the cursor nor break the line.
    init(_ text: String, _ style: BoardStyle = .plain) { append(text, style) }

    mutating func append(_ text: String, _ style: BoardStyle = .plain) {
        let cells = text.cells
        guard !cells.text.isEmpty else { return }
        pieces.append(Piece(text: cells.text, style: style))
        width += cells.width
    }

    mutating func append(_ line: StyledLine) {
        pieces += line.pieces
        width += line.width
    }

    mutating func pad(to width: Int) {
        guard self.width < width else { return }
        append(String(repeating: " ", count: width - self.width))
    }

    /// As much of it as fits.
    func cut(to limit: Int) -> StyledLine {
        guard width > limit else { return self }
        var line = StyledLine()
        for piece in pieces {
            line.append(piece.text.cut(to: limit - line.width), piece.style)
        }
        return line
    }

    func text(hasColour: Bool) -> String {
        pieces.map { piece in
            guard hasColour, piece.style != .plain else { return piece.text }
            return "\u{1B}[\(piece.style.codes)m\(piece.text)\u{1B}[0m"
        }.joined()
    }
}

extension String {
    /// The text as a terminal shows it in cells, and how many they are. What no two terminals
    /// agree on is replaced.
    var cells: (text: String, width: Int) {
        if isPlain { return (self, utf8.count) }
        var text = ""
        var width = 0
        for character in self {
            let shown = character.isSteady ? character : "\u{FFFD}"
            text.append(shown)
            width += shown.cellCount
        }
        return (text, width)
    }

    /// The beginning, in so many cells at most.
    func cut(to limit: Int) -> String {
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
}

extension String {
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
