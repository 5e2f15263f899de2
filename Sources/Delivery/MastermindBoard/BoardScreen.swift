import Games
import StyledText

/// The visible part of a board, as lines of text from top to bottom.
package struct BoardScreen: Sendable {
    let board: Board
    /// The rows that scroll: the guesses, or the page over them.
    private let rows: [Line]

    package init(_ board: Board) {
        self.board = board
        rows =
            switch board.page {
            case .game: BoardScreen.rows(of: board)
            case .help: BoardScreen.help(for: board)
            case .ranking(let ranking): BoardScreen.rows(of: ranking, width: board.size.width)
            }
    }

    /// Exactly as many lines as fit, none too wide. Without colour they are plain text.
    package func lines(hasColour: Bool) -> [String] {
        let size = board.size
        guard size.width > 0, size.height > 0 else { return [] }
        var lines = size.isEnough ? composed : tooSmall
        while lines.count < size.height { lines.append(Line()) }
        return lines.prefix(size.height).map { $0.cut(to: size.width).rendered(hasColour) }
    }

    /// The most rows to scroll.
    var mostScroll: Int { max(0, rows.count - rowsShown) }

    /// The number of rows visible at a time, without the line that counts the hidden ones.
    var rowsShown: Int {
        let room = self.room
        return rows.count <= room || room < 2 ? max(1, room) : room - 1
    }

    private var tooSmall: [Line] {
        let least = BoardSize.smallest
        return "The window is too small: \(least.width)x\(least.height) at least. q leaves."
            .wrapped(to: board.size.width).map { Line($0) }
    }

    private var composed: [Line] {
        var lines = [title]
        if isSpacious { lines.append(Line()) }
        lines += shownRows
        lines += entry
        if isSpacious { lines.append(Line()) }
        lines += message
        let end = hints
        while lines.count < board.size.height - end.count { lines.append(Line()) }
        return lines + end
    }

    /// Whether the height allows empty lines.
    private var isSpacious: Bool { board.size.height >= 14 }

    /// The height left for the rows that scroll.
    private var room: Int {
        let taken = 1 + entry.count + message.count + hints.count + (isSpacious ? 2 : 0)
        return max(1, board.size.height - taken)
    }

    private var shownRows: [Line] {
        let shown = rowsShown
        guard rows.count > shown else { return rows }
        let scroll = min(max(0, board.scroll), mostScroll)
        let above = board.page == .game ? mostScroll - scroll : scroll
        let below = rows.count - shown - above
        let visible = Array(rows[above..<above + shown])
        guard room >= 2 else { return visible }
        let words = [(above, "above"), (below, "below")].filter { $0.0 > 0 }
            .map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        let hint = "-- \(words) (PgUp, PgDn)"
        return [Line(hint.count <= board.size.width ? hint : "-- \(words)", .faint)] + visible
    }

    // MARK: - The parts

    private var title: Line {
        let count = board.history.guessCount
        let parts: [String]
        switch board.page {
        case .game where board.game == nil: parts = ["Mastermind"]
        case .game:
            let slots = board.rules.slots == 1 ? "1 slot" : "\(board.rules.slots) slots"
            parts = [
                "Mastermind", "\(slots), colours 1-\(board.rules.colours)",
                count == 1 ? "1 guess" : "\(count) guesses",
                board.game.map { "game \($0.id)" } ?? "",
            ]
        case .help: parts = ["How to play"]
        case .ranking(.rows(_, let slots)):
            parts = ["Ranking", slots == 1 ? "1 slot" : "\(slots) slots"]
        case .ranking: parts = ["Ranking"]
        }
        var line = Line(parts[0], .title)
        for part in parts.dropFirst() where line.width + 3 + part.count <= board.size.width {
            line.append("   " + part)
        }
        return line
    }

    private static func rows(of board: Board) -> [Line] {
        let columns = GuessColumns(of: board)
        var rows: [Line] = []
        var last = 0
        for (index, turn) in board.history.turns.enumerated() {
            if let number = turn.number {
                // Guesses without an answer in between may be some of the missing ones.
                let open = board.history.turns[..<index].reversed().prefix { $0.number == nil }
                if number - last - 1 > open.count {
                    rows.append(columns.row(missing: last + 1...number - 1))
                }
                last = max(last, number)
            }
            rows.append(columns.row(turn))
        }
        return rows
    }

    private var entry: [Line] {
        guard board.page == .game, board.question == nil else { return [] }
        switch board.phase {
        case .choosing:
            let columns = GuessColumns(of: board)
            let row = columns.row(choosing: board.choice, cursor: board.cursor)
            return [row] + (columns.marker(cursor: board.cursor).map { [$0] } ?? [])
        case .asking: return [GuessColumns(of: board).row(choosing: board.choice, cursor: nil)]
        case .without, .starting, .solved: return []
        }
    }

    /// The message takes the room that it needs, as long as one row is left.
    private var message: [Line] {
        guard let (text, style) = words else {
            // Reserved room keeps the screen from jumping when a message appears.
            return isSpacious || board.page != .game ? [] : [Line()]
        }
        let most = max(1, board.size.height - 2 - entry.count - hints.count)
        return text.wrapped(to: board.size.width, lines: most).map { Line($0, style) }
    }

    private var words: (String, Style)? {
        if let question = board.question {
            return (
                "The login has expired. Password for \(question.user), which is not shown:", .title
            )
        }
        if board.page != .game { return nil }
        if let message = board.message {
            switch message.tone {
            case .plain: return (message.text, .plain)
            case .good: return (message.text, .good)
            case .bad: return (message.text, .bad)
            }
        }
        switch board.phase {
        case .asking: return ("Waiting for the evaluation", .faint)
        case .starting: return ("Starting a game", .faint)
        case .choosing where board.history.turns.isEmpty:
            return ("Choose a colour for each slot, then press Enter.", .plain)
        case .choosing, .without, .solved: return nil
        }
    }
}
