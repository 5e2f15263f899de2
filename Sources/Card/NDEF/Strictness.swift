/// How much a decoder forgives.
public enum Strictness: Sendable, Hashable {
    /// Every byte is accounted for, every flag stands where it belongs.
    case strict
    /// For tags that others wrote: what is clear although it breaks a rule is taken.
    case lenient
}
