import BlockingLane
package import TextCodecs

/// The reason that the system gave for a failure of standard output.
package struct OutputError: Error, Sendable, Hashable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// The only code that writes to standard output. It records failures.
///
/// After the first failure, nothing more is written, because output with a gap would look complete.
package final class StandardOutput: Sendable {
    private let writeBytes: @Sendable ([UInt8]) throws(OutputError) -> Void
    private let isASCIIOnly: Bool
    private let failed = Guarded<OutputError?>(nil)

    package init(_ console: Console) {
        (writeBytes, isASCIIOnly) = (console.write, console.isASCIIOnly)
    }

    /// The first failure; nil if everything so far has been written.
    package var failure: OutputError? { failed.withLock { $0 } }

    /// Writes readable text. Returns whether this and all earlier output was written.
    @discardableResult package func write(_ text: String) -> Bool {
        write(Array((isASCIIOnly ? text.ascii : text).utf8))
    }

    /// Writes a document on one line. JSON requires UTF-8, whatever the locale.
    @discardableResult package func write(document: JSONValue) -> Bool {
        write(Array((document.text + "\n").utf8))
    }

    @discardableResult package func write(_ bytes: [UInt8]) -> Bool {
        // The lock is held while writing, so that concurrent lines do not mix.
        failed.withLock { failed in
            guard failed == nil else { return false }
            do throws(OutputError) {
                try writeBytes(bytes)
            } catch {
                failed = error
            }
            return failed == nil
        }
    }
}
