import Games
import PasswordEntry
import ServicePorts

extension Board {
    mutating func take(_ key: BoardKey) -> Request? {
        if let question { return takeAnswer(key, to: question) }
        switch page {
        case .game: return takeInGame(key)
        case .help: takeInHelp(key)
        case .ranking(let ranking): takeInRanking(key, ranking)
        }
        return nil
    }

    private mutating func takeInGame(_ key: BoardKey) -> Request? {
        switch key {
        case .character("q"): return leave()
        case .character("?"):
            page = .help
            scroll = 0
        case .character("r"):
            page = .ranking(.waiting)
            scroll = 0
            return .ranking
        case .pageUp: scroll += BoardScreen(self).rowsShown
        case .pageDown: scroll -= BoardScreen(self).rowsShown
        default: return takeInPhase(key)
        }
        return nil
    }

    /// A guess under way counts, even when its answer is not awaited.
    private mutating func leave() -> Request? {
        guard phase == .asking(leaving: false) else { return .leave }
        phase = .asking(leaving: true)
        message = Message(
            tone: .plain,
            text: "The guess is on its way and may count. q again leaves without its answer.")
        return nil
    }

    private mutating func takeInPhase(_ key: BoardKey) -> Request? {
        switch phase {
        case .choosing: return takeChoosing(key)
        case .without, .solved:
            guard key == .character("n") else { return nil }
            phase = .starting
            message = nil
            return .start(slots: rules.slots)
        case .starting: return nil
        case .asking(let leaving):
            if leaving {
                phase = .asking(leaving: false)
                message = nil
            }
            return nil
        }
    }

    private mutating func takeChoosing(_ key: BoardKey) -> Request? {
        if key != .enter { message = nil }
        let wasAtEnd = isAtEnd
        if key != .enter { isAtEnd = false }
        switch key {
        case .left, .character("h"): cursor = max(0, cursor - 1)
        case .right, .character("l"): cursor = min(rules.slots - 1, cursor + 1)
        case .next: cursor = (cursor + 1) % rules.slots
        case .previous: cursor = (cursor + rules.slots - 1) % rules.slots
        case .first: cursor = 0
        case .last: cursor = rules.slots - 1
        case .up, .character("k"):
            choice[cursor] = choice[cursor].map { $0 % rules.colours + 1 } ?? 1
        case .down, .character("j"):
            choice[cursor] =
                choice[cursor].map { $0 > 1 ? $0 - 1 : rules.colours } ?? rules.colours
        case .clear:
            if choice[cursor] == nil { cursor = max(0, cursor - 1) }
            choice[cursor] = nil
        case .erase: choice[cursor] = nil
        case .enter: return guess()
        case .character(let character): choose(character, startingAnew: wasAtEnd)
        case .pageUp, .pageDown, .back: break
        }
        return nil
    }

    /// A digit typed after the last slot becomes the first digit of a new row.
    private mutating func choose(_ character: Character, startingAnew: Bool) {
        guard let colour = character.wholeNumberValue, character.isASCII else { return }
        guard (1...rules.colours).contains(colour) else {
            message = Message(
                tone: .bad, text: "There is no colour \(colour); they are 1 to \(rules.colours).")
            return
        }
        if startingAnew, !choice.contains(nil) { clearRow() }
        choice[cursor] = colour
        isAtEnd = cursor == rules.slots - 1
        cursor = min(rules.slots - 1, cursor + 1)
    }

    private mutating func guess() -> Request? {
        let guess = choice.compactMap { $0 }
        guard guess.count == rules.slots else {
            let empty = rules.slots - guess.count
            message = Message(
                tone: .bad,
                text: empty == 1
                    ? "One slot is still empty." : "\(empty) slots are still empty.")
            cursor = choice.firstIndex(of: nil) ?? cursor
            return nil
        }
        guard let game else { return nil }
        phase = .asking(leaving: false)
        (message, scroll) = (nil, 0)
        return .guess(guess, in: game)
    }

    private mutating func takeInHelp(_ key: BoardKey) {
        if !turnsPage(key) { close(key, besides: "?") }
    }

    private mutating func takeInRanking(_ key: BoardKey, _ ranking: Ranking) {
        guard case .rows(let rows, let slots) = ranking, key == .left || key == .right else {
            if !turnsPage(key) { close(key, besides: "r") }
            return
        }
        let all = Set(rows.map(\.slots) + [rules.slots]).sorted()
        let others = key == .left ? all.last { $0 < slots } : all.first { $0 > slots }
        guard let other = others else { return }
        page = .ranking(.rows(rows, slots: other))
        scroll = 0
    }

    private mutating func turnsPage(_ key: BoardKey) -> Bool {
        switch key {
        case .up, .character("k"): scroll -= 1
        case .down, .character("j"): scroll += 1
        case .pageUp: scroll -= BoardScreen(self).rowsShown
        case .pageDown: scroll += BoardScreen(self).rowsShown
        default: return false
        }
        return true
    }

    private mutating func close(_ key: BoardKey, besides own: Character) {
        guard [.back, .enter, .character("q"), .character(own)].contains(key) else { return }
        page = .game
        scroll = 0
    }

    private mutating func takeAnswer(
        _ key: BoardKey, to question: PasswordQuestion
    ) -> Request? {
        switch key {
        case .character(let character): self.question?.typed.append(character)
        case .clear: self.question?.typed.eraseLast()
        case .erase: self.question?.typed.clear()
        case .enter where !question.typed.text.isEmpty:
            self.question = nil
            return .password(question.typed.text)
        case .back:
            self.question = nil
            return .password(nil)
        default: break
        }
        return nil
    }
}
