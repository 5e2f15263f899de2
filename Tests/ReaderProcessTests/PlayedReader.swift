import BlockingLane
import TagReading

/// A reader that does what the test says.
final class PlayedReader: TagReader {
    struct Part: Sendable {
        var tag: TagIdentity? = TagIdentity(uid: [4, 1, 2, 3, 4, 5, 6])
        var failure: ReaderError?
        /// Waits for a tag until it is cancelled, and not for any length of time.
        var waitsForEver = false
        var releases = 0
        var longestAnswer = 250
    }

    let name: String
    let part: Guarded<Part>

    init(_ name: String = "played reader", _ part: Part = Part()) {
        self.name = name
        self.part = Guarded(part)
    }

    var longestAnswer: Int { part.withLock { $0.longestAnswer } }
    var releases: Int { part.withLock { $0.releases } }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        let part = part.withLock { $0 }
        if let failure = part.failure { throw failure }
        if part.waitsForEver {
            let (never, _) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            throw ReaderError(.cancelled)
        }
        guard let tag = part.tag else { throw ReaderError(.noTag) }
        return tag
    }

    /// Every byte doubled.
    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        if let failure = part.withLock({ $0.failure }) { throw failure }
        return frame.map { $0 &* 2 }
    }

    func release() async { part.withLock { $0.releases += 1 } }
}
