/// A key as a terminal reports it.
public enum TerminalKey: Hashable, Sendable {
    case character(Character)
    case enter, tab, backTab, backspace, delete, escape
    case up, down, left, right
    case home, end, pageUp, pageDown
    /// Any other control key, by its letter: `control("u")`.
    case control(Character)
}
