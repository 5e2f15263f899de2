import Games
package import ServicePorts
import StyledText

extension BoardScreen {
    /// Hints for the useful keys, the most needed first.
    var hints: [Line] {
        let size = board.size
        let limit = size.height >= 12 ? 2 : 1
        var lines = [Line()]
        for (key, what) in wantedHints {
            let words = what.isEmpty ? "" : " " + what
            let width = key.count + words.count
            let isFirst = lines[lines.count - 1].width == 0
            if !isFirst, lines[lines.count - 1].width + 2 + width > size.width {
                guard lines.count < limit else { continue }
                lines.append(Line())
            } else if !isFirst {
                lines[lines.count - 1].append("  ")
            }
            lines[lines.count - 1].append(key, .title)
            lines[lines.count - 1].append(words, .faint)
        }
        return lines
    }

    private var wantedHints: [(String, String)] {
        if board.question != nil { return [("Enter", "log in"), ("Esc", "give up")] }
        switch board.page {
        case .help: return [("Esc", "back"), ("Up/Down", "scroll")]
        case .ranking(.rows):
            return [("Esc", "back"), ("Left/Right", "slots"), ("Up/Down", "scroll")]
        case .ranking: return [("Esc", "back")]
        case .game: break
        }
        let colours = ("1-\(min(9, board.rules.colours))", "colour")
        let others = [("?", "help"), ("r", "ranking"), ("q", "leave")]
        switch board.phase {
        case .choosing:
            let narrow = 40
            guard board.size.width >= narrow else {
                return [(colours.0, ""), ("?", "help"), ("q", "leave"), ("Enter", "guess")]
            }
            let moving = [("Left/Right", "move"), ("Up/Down", "change"), ("Backspace", "clear")]
            return [colours, ("Enter", "guess"), ("?", "help"), ("q", "leave"), ("r", "ranking")]
                + moving
        case .without, .solved: return [("n", "new game")] + others
        case .asking, .starting: return [("q", "leave"), ("?", "help")]
        }
    }

    static func help(for board: Board) -> [Line] {
        let most = board.rules.colours
        var paragraphs = [
            "The service has hidden a row of \(board.rules.slots) colours, 1 to \(most); a colour "
                + "can stand in it more than once. Find it with few guesses.",
            "B, black: a right colour in the right place. W, white: a right colour in a wrong "
                + "place. They say how many, not which. \"2B 1W\" and \"2/1\" are 2 black and 1 "
                + "white.",
        ]
        if case .bad = board.message?.tone { paragraphs.append(board.message?.text ?? "") }
        let keys = [
            ("1-\(min(9, most))", "choose a colour"), ("Left/Right", "move, also h l and Tab"),
            ("Up/Down", "change the colour, also k j"), ("Backspace", "clear a slot"),
            ("Enter", "guess, when every slot has a colour"),
            ("PgUp/PgDn", "earlier and later guesses"), ("r", "the ranking"),
            ("q", "leave; the game stays"), ("Ctrl-C", "leave at once"),
        ]
        let width = board.size.width
        var rows: [Line] = []
        for paragraph in paragraphs {
            rows += paragraph.wrapped(to: width).map { Line($0) } + [Line()]
        }
        let column = 12
        for (key, what) in keys {
            var line = Line(key, .title).padded(column)
            let lines = what.wrapped(to: max(1, width - column))
            line.append(lines.first ?? "")
            rows.append(line)
            for rest in lines.dropFirst() {
                rows.append(Line(String(repeating: " ", count: column) + rest))
            }
        }
        return rows
    }

    static func rows(of ranking: Board.Ranking, width: Int) -> [Line] {
        switch ranking {
        case .waiting: return [Line("Asking the service", .faint)]
        case .failed(let text): return text.wrapped(to: width).map { Line($0, .bad) }
        case .rows(let all, let slots):
            let rows = all.ranked(slots: slots)
            guard !rows.isEmpty else {
                return "Nobody has solved this size yet.".wrapped(to: width).map { Line($0) }
            }
            return rows.enumerated().map { row($0.offset + 1, $0.element, of: rows.count, width) }
        }
    }

    /// A row of place, name, guesses, and the time if it fits.
    private static func row(
        _ place: Int, _ rank: MastermindRank, of count: Int, _ width: Int
    ) -> Line {
        let digits = String(count).count
        let score = String(rank.score)
        let timeWidth = width >= 60 ? 19 : width >= 40 ? 10 : 0
        let time = timeWidth > 0 ? "  " + rank.time.steady.cut(to: timeWidth) : ""
        let scoreWidth = max(4, score.count)
        let name = width - digits - 1 - scoreWidth - time.count
        var line = Line(String(place).padded(digits, atStart: true) + " ", .faint)
        let nameWidth = max(0, min(name, 32))
        line.append(rank.name.steady.cut(to: nameWidth).padded(nameWidth))
        line.append(score.padded(scoreWidth, atStart: true), .title)
        line.append(time, .faint)
        return line
    }
}

extension [MastermindRank] {
    /// The ranking for a number of slots: the fewest guesses first, then the earliest.
    package func ranked(slots: Int?) -> [MastermindRank] {
        filter { slots == nil || $0.slots == slots }.sorted {
            ($0.slots, $0.score, $0.time) < ($1.slots, $1.score, $1.time)
        }
    }
}
