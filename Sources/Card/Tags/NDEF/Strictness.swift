/// The tolerance of a decoder.
package enum Strictness: Sendable, Hashable {
    /// Every byte must be accounted for and every flag correct.
    case strict
    /// For tags of other writers: input that breaks a rule but is clear is accepted.
    case lenient
}
