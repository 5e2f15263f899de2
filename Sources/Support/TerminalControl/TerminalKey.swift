/// A key as a terminal tells of it.
public enum TerminalKey: Hashable, Sendable {
    case character(Character)
    case enter, tab, backTab, backspace, delete, escape
    case up, down, left, right
    case home, end, pageUp, pageDown
    /// A control key that is no other, by its letter: `control("u")`.
    case control(Character)
}
