import Glibc
import PasswordEntry

/// The terminal that this process was started in.
public struct SystemTerminal: InteractiveTerminal {
    private let input: Int32
    private let output: Int32
    private let questions: Int32

    /// Nil if no user can be asked: keys come from standard input, and that is not a terminal.
    public init?() {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        // Standard output may be a file with results: a question does not belong there.
        self.init(
            input: STDIN_FILENO, output: STDOUT_FILENO,
            questions: isatty(STDERR_FILENO) == 1 ? STDERR_FILENO : STDIN_FILENO)
    }

    package init(input: Int32, output: Int32, questions: Int32) {
        (self.input, self.output, self.questions) = (input, output, questions)
    }

    public func withScreen<Success: Sendable>(
        _ body: (any TerminalScreen) async -> Success
    ) async throws(TerminalError) -> Success {
        let hold = try TerminalHold.open(input: input, output: output, manner: .screen)
        let success = await body(Screen(hold: hold))
        await hold.close()
        return success
    }

    private struct Screen: TerminalScreen {
        let hold: TerminalHold
        var events: AsyncStream<TerminalEvent> { hold.events }
        func show(_ lines: [String]) { hold.show(lines) }
    }

    public func askSecretly(_ question: String) async throws(TerminalError) -> String? {
        let hold = try TerminalHold.open(input: input, output: questions, manner: .line)
        let answer = await SystemTerminal.answer(question, hold)
        await hold.close()
        return answer
    }

    private static func answer(_ question: String, _ hold: TerminalHold) async -> String? {
        hold.write(question)
        var answer = TypedPassword()
        for await event in hold.events {
            switch event {
            case .changed: hold.write("\r\u{1B}[K\(question)")
            case .key(.enter): return answer.text
            case .key(.escape), .key(.control("d")): return nil
            case .key(.backspace): answer.eraseLast()
            case .key(.control("u")): answer.clear()
            case .key(.character(let character)): answer.append(character)
            case .key: break
            }
        }
        return nil
    }
}
