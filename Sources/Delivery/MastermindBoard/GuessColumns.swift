import Games
import StyledText

/// The layout of a game's rows: as spacious as the width allows.
struct GuessColumns: Hashable, Sendable {
    /// The columns of a slot: digit alone, digit after a gap, digit in the middle.
    enum Cell: Int, Sendable { case tight = 1, spaced, roomy }

    /// The notation of an evaluation.
    enum Evaluation: Hashable, Sendable {
        /// Pegs, and words.
        case words
        case pegs
        /// "2B 1W"
        case letters
        /// "2/1"
        case numbers
    }

    let cell: Cell
    let evaluation: Evaluation
    /// The digits of the longest number; 0 omits the numbers.
    let digits: Int

    private static let candidates: [(Cell, Evaluation, hasNumbers: Bool)] = [
        (.roomy, .words, true), (.roomy, .pegs, true), (.roomy, .letters, true),
        (.spaced, .letters, true), (.tight, .letters, true), (.tight, .numbers, true),
        (.tight, .numbers, false),
    ]

    init(width: Int, slots: Int, highestNumber: Int) {
        let digits = max(2, String(highestNumber).count)
        let all = GuessColumns.candidates.map {
            GuessColumns(cell: $0.0, evaluation: $0.1, digits: $0.hasNumbers ? digits : 0)
        }
        let least = GuessColumns(cell: .tight, evaluation: .numbers, digits: 0)
        self = all.first { $0.width(slots: slots) <= width } ?? least
    }

    init(of board: Board) {
        self.init(
            width: board.size.width, slots: board.rules.slots,
            highestNumber: board.history.guessCount)
    }

    private init(cell: Cell, evaluation: Evaluation, digits: Int) {
        (self.cell, self.evaluation, self.digits) = (cell, evaluation, digits)
    }

    /// The column where the slots begin.
    var indent: Int { digits > 0 ? digits + 1 : 0 }

    private func width(slots: Int) -> Int {
        let evaluation =
            switch evaluation {
            case .words: slots + 2 + "12 black, 12 white".count
            case .pegs: slots
            case .letters: slots > 9 ? "10B 2W".count : "9B 9W".count
            case .numbers: slots > 9 ? "10/2".count : "9/9".count
            }
        return indent + slots * cell.rawValue + gap + max(evaluation, noAnswer.count)
    }

    private var gap: Int { cell == .roomy ? 2 : 1 }

    /// The placeholder for an evaluation that never arrived.
    private var noAnswer: String {
        switch evaluation {
        case .words: "no answer came"
        case .pegs: "lost"
        case .letters: "lost"
        case .numbers: "?"
        }
    }

    /// The row of a guess that was made.
    func row(_ turn: MastermindTurn) -> Line {
        var line = number(turn.number.map(String.init) ?? "?")
        for colour in turn.guess { line.append(slot(colour, isChosen: false)) }
        line.append(String(repeating: " ", count: gap))
        line.append(evaluation(turn))
        return line
    }

    /// The row of the guess that is being chosen.
    func row(choosing choice: [Int?], cursor: Int?) -> Line {
        var line = number(">")
        for (index, colour) in choice.enumerated() {
            line.append(slot(colour, isChosen: index == cursor))
        }
        return line
    }

    /// The line below the guess that marks the chosen slot, if the slot has no room for brackets.
    func marker(cursor: Int) -> Line? {
        guard cell == .tight else { return nil }
        return Line(String(repeating: " ", count: indent + cursor) + "^", .title)
    }

    /// The row for guesses of this game that were made elsewhere.
    func row(missing numbers: ClosedRange<Int>) -> Line {
        let isOne = numbers.count == 1
        let which = isOne ? "\(numbers.lowerBound)" : "\(numbers.lowerBound)-\(numbers.upperBound)"
        return Line(String(repeating: " ", count: indent) + "\(which) made elsewhere", .faint)
    }

    private func number(_ text: String) -> Line {
        guard digits > 0 else { return Line() }
        return Line(text.padded(digits, atStart: true) + " ", .faint)
    }

    private func slot(_ colour: Int?, isChosen: Bool) -> Line {
        let digit = colour.map { String($0, radix: 16, uppercase: true) } ?? "_"
        let style = colour.map { Style.colour($0) } ?? .plain
        var line = Line()
        switch cell {
        case .roomy:
            // Brackets show the cursor, the middle shows the choice: readable with and without
            // colour.
            line.append(isChosen ? "[" : " ", isChosen ? .title : style)
            line.append(digit, style)
            line.append(isChosen ? "]" : " ", isChosen ? .title : style)
        case .spaced:
            line.append(isChosen ? ">" : " ", .title)
            line.append(digit, style)
        case .tight: line.append(digit, style)
        }
        return line
    }

    private func evaluation(_ turn: MastermindTurn) -> Line {
        guard let result = turn.evaluation else { return Line(noAnswer, .faint) }
        var line = Line()
        switch evaluation {
        case .words, .pegs:
            line.append(String(repeating: "B", count: result.black), .blackPeg)
            line.append(String(repeating: "W", count: result.white), .whitePeg)
            let rest = turn.guess.count - result.black - result.white
            line.append(String(repeating: ".", count: max(0, rest)), .faint)
            guard evaluation == .words else { break }
            line.append("  \(result.black) black, \(result.white) white")
        case .letters:
            line.append("\(result.black)B", .blackPeg)
            line.append(" ")
            line.append("\(result.white)W", .whitePeg)
        case .numbers: line.append("\(result.black)/\(result.white)")
        }
        return line
    }
}
