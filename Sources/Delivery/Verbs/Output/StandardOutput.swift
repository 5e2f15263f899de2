import BlockingLane
import StyledText
package import TextCodecs

/// Why standard output does not take what is written to it, in the system's words.
package struct OutputError: Error, Sendable, Hashable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// The one place that writes standard output, and knows whether all of it went out.
///
/// After the first failure nothing more is written: a gap in the middle would look like the whole.
package final class StandardOutput: Sendable {
    private let put: @Sendable ([UInt8]) throws(OutputError) -> Void
    private let knowsASCIIAlone: Bool
    private let failed = Guarded<OutputError?>(nil)

    package init(_ console: Console) {
        (put, knowsASCIIAlone) = (console.write, console.knowsASCIIAlone)
    }

    /// Nil while everything went out.
    package var failure: OutputError? { failed.withLock { $0 } }

    /// Words for people. Whether all of it went out, and all that came before.
    @discardableResult package func write(_ text: String) -> Bool {
        write(Array((knowsASCIIAlone ? text.ascii : text).utf8))
    }

    /// One document a line, in UTF-8 in every locale: JSON has no other form.
    @discardableResult package func write(document: JSONValue) -> Bool {
        write(Array((document.text + "\n").utf8))
    }

    @discardableResult package func write(_ bytes: [UInt8]) -> Bool {
        // Held while it is written: two lines that come at once do not mix.
        failed.withLock { failed in
            guard failed == nil else { return false }
            do throws(OutputError) {
                try put(bytes)
            } catch {
                failed = error
            }
            return failed == nil
        }
    }
}
