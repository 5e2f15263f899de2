/// How tolerant a decoder is.
package enum Strictness: Sendable, Hashable {
    /// Every byte must be accounted for, and every flag must be correct.
    case strict
    /// For tags written by other software: input that breaks a rule but is unambiguous is accepted.
    case lenient
}
