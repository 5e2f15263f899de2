/// The permitted use of a key, ordered from least to most restricted.
public enum KeyStatus: String, Sendable, Hashable, CaseIterable {
    /// Verifies records, and seals new ones if it is the newest active key.
    case active
    /// Verifies old records, but seals no new ones.
    case verifyOnly = "verify-only"
    /// No longer trusted, even if a seal made with it is correct.
    case retired

    /// The more restrictive of the two.
    func restricted(by other: KeyStatus) -> KeyStatus {
        switch (self, other) {
        case (.retired, _), (_, .retired): .retired
        case (.verifyOnly, _), (_, .verifyOnly): .verifyOnly
        case (.active, .active): .active
        }
    }
}
