import Foundation

/// Text in the order in which it came.
// Unchecked because the compiler cannot see that the lock guards the text.
final class Output: @unchecked Sendable {
    private var text = ""
    private let lock = NSLock()

    func append(_ more: String) { lock.withLock { text += more } }

    func take() -> String {
        lock.withLock {
            defer { text = "" }
            return text
        }
    }
}
