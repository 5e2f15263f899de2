/// What is written to a terminal when it is taken, and when it is given back.
///
/// Static text: a process that dies writes it, too, and may take no memory any more.
struct TerminalManner: Sendable {
    let taking: StaticString
    let leaving: StaticString

    /// One line, while a question is answered.
    static let line = TerminalManner(taking: "", leaving: "\n")

    /// The other screen, without a cursor and without lines that go on by themselves.
    static let screen = TerminalManner(
        taking: "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[H\u{1B}[2J",
        leaving: "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
}
