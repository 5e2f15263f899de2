/// What a key may be used for. The order is from free to restricted.
public enum KeyStatus: String, Sendable, Hashable, CaseIterable {
    /// Seals new records, if it is the newest of its kind, and verifies.
    case active
    /// Verifies what it sealed, and seals nothing more.
    case verifyOnly = "verify-only"
    /// Is not trusted, not even with a right code.
    case retired

    /// Whichever of the two permits less.
    func restricted(by other: KeyStatus) -> KeyStatus {
        switch (self, other) {
        case (.retired, _), (_, .retired): .retired
        case (.verifyOnly, _), (_, .verifyOnly): .verifyOnly
        case (.active, .active): .active
        }
    }
}
