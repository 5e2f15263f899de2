/// A kind of value for which a shell can offer completions.
package enum CompletedValue: Sendable, Hashable {
    /// File names, which the shell completes on its own.
    case files
    case readers
    /// The most recently used cards.
    case cards
    case currencies
    case keys
    case cashiers
    case tokens
    /// The words of a command, one at a time.
    case verbs
    /// The values of the setting that the preceding word specifies.
    case settingValue
}
