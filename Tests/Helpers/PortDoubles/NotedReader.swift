import BlockingLane
package import Tags

/// A reader that records its calls. Each selection finds a different tag.
package final class NotedReader: TagReader {
    package let name = "a reader"
    package let maximumAnswerLength = 64
    private let calls = Guarded<[String]>([])

    package init() {}

    /// The calls after the initial release.
    package var noted: [String] { Array(calls.withLock { $0 }.dropFirst()) }

    package func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        let count = calls.withLock { calls in
            calls.append("select")
            return calls.count
        }
        return TagIdentity(uid: [4, 0, 0, 0, 0, 0, UInt8(count)])
    }

    package func exchange(_ frame: [UInt8]) -> [UInt8] {
        calls.withLock { $0.append("frame \(frame[0])") }
        return []
    }

    package func release() { release(signaling: nil) }

    package func release(signaling signal: TagSignal?) {
        let word = signal.map { " \($0)" } ?? ""
        calls.withLock { $0.append("release" + word) }
    }
}
