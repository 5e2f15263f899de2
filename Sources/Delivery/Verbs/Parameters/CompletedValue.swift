/// A kind of value that a shell can complete.
package enum CompletedValue: Sendable, Hashable {
    /// File names, which the shell completes itself.
    case files
    case readers
    /// The most recently used cards.
    case cards
    case currencies
    case keys
    case cashiers
    /// The words of a verb, one by one.
    case verbs
    /// The values of the setting named before it.
    case settingValue
}
