/// A line made of styled pieces. Only a color terminal shows the styles.
package struct Line: Sendable, Hashable, ExpressibleByStringInterpolation {
    private struct Piece: Sendable, Hashable {
        let text: String
        let style: Style
    }

    private var pieces: [Piece] = []
    /// The width in terminal cells.
    package private(set) var width = 0

    package init() {}

    package init(_ text: String, _ style: Style = .plain) { append(text, style) }
    package init(stringLiteral text: String) { self.init(text) }

    /// The text without styles.
    package var text: String { pieces.map(\.text).joined() }

    package mutating func append(_ text: String, _ style: Style = .plain) {
        guard !text.isEmpty else { return }
        pieces.append(Piece(text: text, style: style))
        width += text.cellCount
    }

    package mutating func append(_ line: Line) {
        pieces += line.pieces
        width += line.width
    }

    package static func + (left: Line, right: Line) -> Line {
        var result = left
        result.append(right)
        return result
    }

    package func rendered(_ hasColor: Bool) -> String {
        // Only the text is made safe; the style's own codes must reach the terminal.
        pieces.map { $0.style.applied(to: $0.text.shown, hasColor) }.joined()
    }

    /// This line padded to a width with spaces at its end or, for numbers, at its beginning.
    package func padded(_ width: Int, atStart: Bool = false) -> Line {
        let space = Line(String(repeating: " ", count: max(0, width - self.width)))
        return atStart ? space + self : self + space
    }

    /// This line without trailing spaces.
    package var trimmed: Line {
        var line = self
        while let last = line.pieces.popLast() {
            line.width -= last.text.cellCount
            let text = String(last.text.reversed().drop { $0 == " " }.reversed())
            guard text.isEmpty else {
                line.append(text, last.style)
                break
            }
        }
        return line
    }

    /// Joins pieces into lines no wider than `width`, and indents all lines except the first. If
    /// `width` is nil, the result is one line.
    package static func flow(
        _ pieces: [Line], gap: String = "  ", indent: String = "  ", width: Int?
    ) -> [Line] {
        var lines: [Line] = []
        for piece in pieces {
            guard let last = lines.last else {
                lines = [piece]
                continue
            }
            let joined = last + Line(gap) + piece
            if let width, joined.width > width {
                lines.append(Line(indent) + piece)
            } else {
                lines[lines.count - 1] = joined
            }
        }
        return lines
    }
}
