package import TapcardDomain
package import TextCodecs

/// The solved games, sorted by number of slots and then by number of guesses.
package struct SandboxRanking: Sendable {
    /// The maximum number of games for each number of slots; only the best are kept.
    package static let maximumRows = 100

    /// A solved game.
    package struct Row: Hashable, Sendable {
        package let game: MastermindGameID
        package let user: String
        package let solved: Timestamp
        package let guesses: Int
        package let slots: Int

        package init(
            game: MastermindGameID, user: String, solved: Timestamp, guesses: Int, slots: Int
        ) {
            (self.game, self.user, self.solved) = (game, user, solved)
            (self.guesses, self.slots) = (guesses, slots)
        }
    }

    package private(set) var rows: [Row] = []

    package init() {}

    /// Adds a row. Of two games with the same numbers of slots and guesses, the one that was added
    /// first comes first.
    package mutating func add(_ row: Row) {
        let index = rows.firstIndex { other in
            (row.slots, row.guesses) < (other.slots, other.guesses)
        }
        rows.insert(row, at: index ?? rows.endIndex)
        // Rows with the same number of slots are adjacent, and the worst of them is last.
        guard rows.count(where: { $0.slots == row.slots }) > SandboxRanking.maximumRows,
            let worst = rows.lastIndex(where: { $0.slots == row.slots })
        else { return }
        rows.remove(at: worst)
    }

    /// The ranking as JSON. `icons` is the base address of the icons.
    package func document(icons: String) -> JSONValue {
        .array(
            rows.map { row in
                [
                    "participantId": .string(row.user), "name": .string(row.user),
                    "timestamp": .string(CivilTime(row.solved)?.description ?? ""),
                    "score": .string(String(row.guesses)), "slots": .string(String(row.slots)),
                    "id": .string(row.game.text), "icon512": .string("\(icons)/512.svg"),
                    "icon192": .string("\(icons)/192.svg"), "icon72": .string("\(icons)/72.svg"),
                ]
            })
    }
}
