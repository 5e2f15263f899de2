/// Interprets the activation service's response. A version later than 6.1 means that the code is
/// active.
package enum ActivationRule {
    private static let threshold = Version("6.1")

    package static func isActive(_ version: Version) -> Bool {
        threshold.map { version > $0 } ?? false
    }
}
