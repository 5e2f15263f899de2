import Verbs

/// A section of the help, shown as text on a terminal, as Markdown in docs/COMMANDS.md, and as roff
/// in the manual. Backticks mark words that the user types.
enum HelpPart: Sendable {
    typealias Row = (term: String, help: String)

    case paragraph(String)
    case line(String, String)
    case table(String, [Row])

    /// The width of a table's left column.
    var width: Int {
        if case .table(_, let rows) = self { rows.map(\.term.count).max() ?? 0 } else { 0 }
    }

    func text(width: Int, columns: Int) -> String {
        switch self {
        case .paragraph(let words): return wrap(words, columns)
        case .line(let title, let line): return "\(title):\n  \(line)"
        case .table(let title, let rows):
            return rows.reduce("\(title):") { text, row in
                // If the terms leave too little room, the descriptions begin on the next line.
                guard width <= columns / 2 else {
                    return text + "\n  \(row.term)\n" + wrap(row.help, columns, after: "      ")
                }
                let padding = String(repeating: " ", count: width - row.term.count)
                return text + "\n" + wrap(row.help, columns, after: "  \(row.term)\(padding)  ")
            }
        }
    }

    var markdown: String {
        switch self {
        case .paragraph(let words): return words
        case .line(let title, let line): return "\(title): `\(line)`"
        case .table(let title, let rows):
            let lines = rows.map { "| `\($0.term)` | \($0.help.replacing("|", with: #"\|"#)) |" }
            return (["| \(title) | |", "|---|---|"] + lines).joined(separator: "\n")
        }
    }

    /// Wraps text to the given number of columns. Lines after the first are indented by the length
    /// of `start`.
    private func wrap(_ text: String, _ columns: Int, after start: String = "") -> String {
        var (lines, line) = ("", start)
        for word in text.unmarked.split(whereSeparator: \.isWhitespace) {
            // Each line gets at least one word, even if that word is too long.
            if line.count > start.count, line.count + word.count > columns {
                lines += line.dropLast() + "\n"
                line = String(repeating: " ", count: start.count)
            }
            line += word + " "
        }
        return lines + line.dropLast()
    }
}

extension String {
    /// The text without backticks.
    var unmarked: String { filter { $0 != "`" } }
}

extension CommandParameter {
    var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(name)"] }

    /// The parameter as the help shows it, such as `[AMOUNT]`, `-c, --card UID`.
    var term: String {
        if isOption {
            return spellings.joined(separator: ", ") + (placeholder.map { " \($0)" } ?? "")
        }
        let words = repeats ? "\(name)..." : name
        return isRequired ? words : "[\(words)]"
    }

    var row: HelpPart.Row {
        // Choices that the help already names are not listed again.
        let isComplete = choices.allSatisfy { help.contains($0) }
        return (term, isComplete ? help : "\(help) (\(choices.joined(separator: ", ")))")
    }
}
