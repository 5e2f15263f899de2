/// What a shell offers for a value that is not one of a few words.
package enum CompletedValue: Sendable, Hashable {
    /// The shell knows them itself.
    case files
    case readers
    /// The cards that were used last.
    case cards
    case currencies
    case keys
    case cashiers
    /// The words of a verb, one after the other.
    case verbs
    /// What the setting that is named before it can be.
    case settingValue
}
