/// The rule of the activation service: an answer that names a version above 6.1 is a yes.
package enum ActivationRule {
    private static let threshold = Version("6.1")

    package static func isActive(_ version: Version) -> Bool {
        threshold.map { version > $0 } ?? false
    }
}
