import BlockingLane
package import Tags

/// A reader in front of another one, which keeps a trace and lets a test change any call.
package final class InterposedReader: TagReader {
    /// One frame and its result.
    package struct Exchange: Sendable, Hashable {
        package let frame: [UInt8]
        package let answer: [UInt8]?
        package let failure: ReaderError.Kind?
    }

    package typealias Select =
        @Sendable (_ limit: Duration, _ reader: any TagReader) async throws(ReaderError)
        -> TagIdentity
    package typealias Answer =
        @Sendable (_ frame: [UInt8], _ reader: any TagReader) async throws(ReaderError) -> [UInt8]
    package typealias Release = @Sendable (_ reader: any TagReader) async -> Void

    private struct State: Sendable {
        var exchanges: [Exchange] = []
        var limits: [Duration] = []
        var signals: [TagSignal?] = []
        var select: Select?
        var answer: Answer?
        var command: Answer?
    }

    package let name: String
    private let reader: any TagReader
    private let letGo: Release?
    private let state: Guarded<State>

    /// Without a closure, a call is passed on.
    package init(
        _ reader: any TagReader, name: String = "interposed reader", select: Select? = nil,
        release: Release? = nil, command: Answer? = nil, answer: Answer? = nil
    ) {
        self.name = name
        self.reader = reader
        letGo = release
        state = Guarded(State(select: select, answer: answer, command: command))
    }

    package var maximumAnswerLength: Int { get async { await reader.maximumAnswerLength } }
    package var exchanges: [Exchange] { state.withLock { $0.exchanges } }
    /// The time limit of each selection.
    package var limits: [Duration] { state.withLock { $0.limits } }

    /// The signal of each release; nil for a release without one.
    package var signals: [TagSignal?] { state.withLock { $0.signals } }

    /// Empties the trace.
    package func forget() {
        state.withLock { ($0.exchanges, $0.limits, $0.signals) = ([], [], []) }
    }

    /// Changes what later calls do; without a closure, they are passed on.
    package func change(select: Select? = nil, answer: Answer? = nil) {
        state.withLock { ($0.select, $0.answer) = (select, answer) }
    }

    package func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        let select = state.withLock { state in
            state.limits.append(limit)
            return state.select
        }
        guard let select else { return try await reader.select(within: limit) }
        return try await select(limit, reader)
    }

    package func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        do {
            let answer =
                if let change = state.withLock({ $0.answer }) {
                    try await change(frame, reader)
                } else {
                    try await reader.exchange(frame)
                }
            note(Exchange(frame: frame, answer: answer, failure: nil))
            return answer
        } catch {
            note(Exchange(frame: frame, answer: nil, failure: error.kind))
            throw error
        }
    }

    package func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        guard let change = state.withLock({ $0.command }) else {
            return try await reader.exchange(command: command)
        }
        return try await change(command, reader)
    }

    private func note(_ exchange: Exchange) { state.withLock { $0.exchanges.append(exchange) } }

    package func release() async { await release(signaling: nil) }

    package func release(signaling signal: TagSignal?) async {
        state.withLock { $0.signals.append(signal) }
        guard let letGo else { return await reader.release(signaling: signal) }
        await letGo(reader)
    }
}
