import Games
import MastermindBoard
import ServicePorts
import Testing

/// Boards in the middle of a game.
enum BoardMaker {
    static let id = "4492936ae8ce8a711e01c30d30f884ed"

    static func game(slots: Int) throws -> MastermindGame {
        MastermindGame(id: try #require(MastermindGameID(id)), slots: slots)
    }

    /// A guess that differs from its neighbours.
    static func guess(_ number: Int, slots: Int) -> [Int] {
        (0..<slots).map { ($0 * 5 + number) % 6 + 1 }
    }

    /// So many guesses; none finds more than one colour.
    static func history(_ count: Int, slots: Int) -> MastermindHistory {
        let evaluation = MastermindEvaluation(black: 0, white: 1)
        return MastermindHistory(
            (0..<count).map {
                MastermindTurn(guess($0, slots: slots), .evaluated(evaluation, number: $0 + 1))
            })
    }

    static func board(
        slots: Int = 4, guesses: Int = 0, width: Int = 80, height: Int = 24
    ) throws -> Board {
        Board(
            try game(slots: slots), history(guesses, slots: slots),
            rules: try MastermindRules(slots: slots),
            size: BoardSize(width: width, height: height))
    }

    static func rank(_ name: String, _ score: Int, slots: Int = 4) -> MastermindRank {
        MastermindRank(
            id: "1", participant: "2", name: name, time: "2021-04-26 17:26:22", score: score,
            slots: slots, icons: [])
    }
}

extension Board {
    /// Takes keys; the last request that they led to.
    @discardableResult
    mutating func press(_ keys: BoardKey...) -> Request? {
        var last: Request?
        for key in keys { last = take(.key(key)) ?? last }
        return last
    }

    /// Types characters.
    @discardableResult
    mutating func type(_ text: String) -> Request? {
        var last: Request?
        for character in text { last = take(.key(.character(character))) ?? last }
        return last
    }

    var lines: [String] { BoardScreen(self).lines(hasColour: false) }

    /// The screen without the spaces at its end, for a comparison with what is written here.
    var screen: String {
        var lines = self.lines
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n")
    }
}
