/// A line of a report. Some of its words have a style, where a terminal has colour.
struct Line: Sendable, Hashable, ExpressibleByStringInterpolation {
    private struct Span: Sendable, Hashable {
        let text: String
        let style: Style?
    }

    private var spans: [Span]

    init(_ text: String, _ style: Style? = nil) { spans = [Span(text: text, style: style)] }
    init(stringLiteral text: String) { self.init(text) }

    /// Without any style.
    var text: String { spans.map(\.text).joined() }
    /// How many columns it takes: nothing that is printed is wider than a column a character.
    var width: Int { spans.reduce(0) { $0 + $1.text.count } }

    func rendered(_ hasColor: Bool) -> String {
        spans.map { span in
            span.style.map { $0.applied(to: span.text.shown, hasColor) } ?? span.text.shown
        }.joined()
    }

    /// Filled up to a width with spaces, at its end or, for numbers, at its beginning.
    func padded(_ width: Int, atStart: Bool = false) -> Line {
        let space = Line(String(repeating: " ", count: max(0, width - self.width)))
        return atStart ? space + self : self + space
    }

    /// Without spaces at its end.
    var trimmed: Line {
        var line = self
        while let last = line.spans.last {
            let text = String(last.text.reversed().drop { $0 == " " }.reversed())
            line.spans.removeLast()
            guard text.isEmpty else {
                line.spans.append(Span(text: text, style: last.style))
                break
            }
        }
        return line
    }

    static func + (left: Line, right: Line) -> Line {
        var sum = left
        sum.spans += right.spans
        return sum
    }

    /// Puts pieces one behind the other, on as many lines as a width makes necessary; further
    /// lines are indented. Without a width it is one line.
    static func flow(
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
