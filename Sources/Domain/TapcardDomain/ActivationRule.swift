/// When the activation service says yes: it names a version, and that is above 6.1.
public enum ActivationRule {
    private static let threshold = Version("6.1")

    public static func isActive(_ version: Version) -> Bool {
        threshold.map { version > $0 } ?? false
    }
}
