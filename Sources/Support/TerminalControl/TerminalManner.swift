/// The texts written to a terminal when it is taken, and when it is given back.
///
/// They are static, because a dying process writes them too, and may not allocate memory any more.
struct TerminalManner: Sendable {
    let taking: StaticString
    let leaving: StaticString

    /// One line for the answer to a question.
    static let line = TerminalManner(taking: "", leaving: "\n")

    /// The alternate screen, without a cursor and without line wrapping.
    static let screen = TerminalManner(
        taking: "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[H\u{1B}[2J",
        leaving: "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
}
