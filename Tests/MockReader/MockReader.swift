public import TagReading

/// A reader that answers as it was told to, in that order, and keeps a trace of every frame.
public actor MockReader: TagReader {
    /// What the next call meets.
    public enum Reply: Sendable {
        case tag(TagIdentity)
        case answer([UInt8])
        case failure(ReaderError.Kind)
    }

    public nonisolated let name = "mock reader"
    public nonisolated let longestAnswer: Int
    /// The frames in their order; a selection is an empty one.
    public private(set) var trace: [[UInt8]] = []
    private var script: [Reply]

    public init(_ script: [Reply], longestAnswer: Int = 250) {
        self.script = script
        self.longestAnswer = longestAnswer
    }

    /// What was not asked for.
    public var unused: Int { script.count }

    public func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        trace.append([])
        guard case .tag(let identity) = try next() else {
            throw ReaderError(.garbled, "the script has an answer where a tag was asked for")
        }
        return identity
    }

    public func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        trace.append(frame)
        guard case .answer(let answer) = try next() else {
            throw ReaderError(.garbled, "the script has a tag where an answer was asked for")
        }
        return answer
    }

    public func release() async {}

    private func next() throws(ReaderError) -> Reply {
        guard !script.isEmpty else { throw ReaderError(.tagLost, "the script is at its end") }
        let reply = script.removeFirst()
        if case .failure(let kind) = reply { throw ReaderError(kind) }
        return reply
    }
}
