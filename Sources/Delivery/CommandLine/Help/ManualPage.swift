import Verbs

/// A page of the manual, in roff with the man(7) macros.
struct ManualPage {
    let name: String
    let section: Int
    private var lines: [String]

    init(_ name: String, _ section: Int, _ summary: String, date: String) {
        (self.name, self.section) = (name, section)
        let day = date.isEmpty ? #""""# : date
        lines = [
            ".TH \(name.uppercased()) \(section) \(day) \"tapcard \(Release.version)\" "
                + "\"tapcard manual\"",
            ".SH NAME", "\(ManualPage.escaped(name)) \\- \(ManualPage.escaped(summary))",
        ]
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    mutating func heading(_ title: String) {
        lines.append(".SH \"\(ManualPage.escaped(title.uppercased()))\"")
    }

    mutating func subheading(_ title: String) {
        lines.append(".SS \"\(ManualPage.escaped(title))\"")
    }

    /// Adds a line that is shown as is, such as an example.
    mutating func line(_ words: String) {
        lines += [".nf", ".RS", ManualPage.protected(ManualPage.escaped(words)), ".RE", ".fi"]
    }

    mutating func usages(_ usages: [String]) {
        lines.append(".nf")
        lines += usages.map { ManualPage.fonts(of: $0) }
        lines.append(".fi")
    }

    mutating func add(_ parts: [HelpPart]) { for part in parts { add(part) } }

    private mutating func add(_ part: HelpPart) {
        // At the start of a section, .PP would add an extra empty line.
        if lines.last.map({ !$0.hasPrefix(".S") }) ?? false { lines.append(".PP") }
        switch part {
        case .paragraph(let words): lines += ManualPage.wrapped(words)
        case .line(let title, let words):
            lines.append("\(ManualPage.escaped(title)):")
            line(words)
        case .table(let title, let rows):
            lines.append("\(ManualPage.escaped(title)):")
            self.rows(rows)
        }
    }

    mutating func rows(_ rows: [HelpPart.Row]) {
        for row in rows {
            lines += [".TP", ManualPage.fonts(of: row.term)] + ManualPage.wrapped(row.help)
        }
    }

    /// Sets literal words in bold and placeholders in italics.
    private static func fonts(of term: String) -> String {
        var isOption = false
        let words = term.split(separator: " ").map { word -> String in
            let isPlaceholder = word == word.uppercased() && word.contains(where: \.isLetter)
            let font = isPlaceholder && (isOption || !word.hasPrefix("-")) ? "I" : "B"
            isOption = word.hasPrefix("-")
            return "\\f\(font)\(escaped(String(word)))\\fR"
        }
        return words.joined(separator: " ")
    }

    /// The maximum line width of the roff source, to keep it readable.
    private static let columns = 78

    /// Wraps a paragraph and sets words in backticks in bold.
    private static func wrapped(_ paragraph: String) -> [String] {
        // A pair of backticks may begin and end on different lines, so `isBold` carries over from
        // line to line.
        var (lines, line, isBold) = ([String](), "", false)
        for word in paragraph.split(whereSeparator: \.isWhitespace) {
            if !line.isEmpty, line.count + word.count >= columns {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        lines.append(line)
        return lines.map { line in
            let pieces = line.split(separator: "`", omittingEmptySubsequences: false)
            let text = pieces.map { escaped(String($0)) }
            var marked = protected(text[0])
            for piece in text.dropFirst() {
                isBold.toggle()
                marked += (isBold ? "\\fB" : "\\fR") + piece
            }
            return marked
        }
    }

    /// Protects a line that roff would otherwise mistake for a command. `escaped` has already
    /// replaced any apostrophes.
    private static func protected(_ line: String) -> String {
        line.hasPrefix(".") ? #"\&"# + line : line
    }

    /// Escapes text for roff so that hyphens and quotes can be copied from the manual.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += #"\(rs"#
            case "-": escaped += #"\-"#
            case "'": escaped += #"\(aq"#
            case "\"": escaped += #"\(dq"#
            case "^": escaped += #"\(ha"#
            case "~": escaped += #"\(ti"#
            case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
            // roff expects at least four hexadecimal digits.
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                escaped +=
                    "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
            }
        }
        return escaped
    }
}
