import BlockingLane
package import Tags

/// A reader that answers from a script and keeps a trace of every frame.
package final class ScriptedReader: TagReader {
    /// The result of one call.
    package enum Reply: Sendable {
        case tag(TagIdentity)
        case answer([UInt8])
        case failure(ReaderError.Kind)
        /// A selection that waits until its task is cancelled.
        case untilCancelled
    }

    private struct State {
        var script: [Reply]
        var trace: [[UInt8]] = []
        var releases = 0
    }

    package let name: String
    package let maximumAnswerLength: Int
    private let state: Guarded<State>

    package init(
        _ script: [Reply], name: String = "scripted reader", maximumAnswerLength: Int = 250
    ) {
        self.name = name
        self.maximumAnswerLength = maximumAnswerLength
        state = Guarded(State(script: script))
    }

    /// The frames in order; a selection is an empty one.
    package var trace: [[UInt8]] { state.withLock { $0.trace } }
    package var releases: Int { state.withLock { $0.releases } }
    /// The number of replies that no call has used.
    package var unused: Int { state.withLock { $0.script.count } }

    package func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        switch try next(for: []) {
        case .tag(let identity): return identity
        case .untilCancelled:
            let (never, _) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            throw ReaderError(.cancelled)
        case .answer, .failure:
            throw ReaderError(.garbled, "the script has an answer, and the call is a selection")
        }
    }

    package func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        guard case .answer(let answer) = try next(for: frame) else {
            throw ReaderError(.garbled, "the script has a tag, and the call is a frame")
        }
        return answer
    }

    package func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        try await exchange(command)
    }

    package func release() async { state.withLock { $0.releases += 1 } }

    private func next(for frame: [UInt8]) throws(ReaderError) -> Reply {
        try state.withLock { state throws(ReaderError) in
            state.trace.append(frame)
            guard !state.script.isEmpty else { throw ReaderError(.tagLost, "the script has ended") }
            let reply = state.script.removeFirst()
            if case .failure(let kind) = reply { throw ReaderError(kind) }
            return reply
        }
    }
}
