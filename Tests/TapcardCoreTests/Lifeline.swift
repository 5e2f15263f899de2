import Ledger
import TagReading

/// The steps that a process may still take before it dies: its reader and its ledger share one
/// count. A step is a frame to the tag or a transaction that writes.
final class Lifeline: Sendable {
    /// Whether the last step is still taken.
    enum Death: CaseIterable, Sendable {
        case beforeTheStep, afterTheStep
    }

    private let left: Locked<Int>
    private let death: Death

    init(steps: Int, _ death: Death) {
        left = Locked(steps)
        self.death = death
    }

    var isAlive: Bool { left.change { $0 > 0 } }

    /// Takes a step, and fails with what nobody hears any more once the process is dead.
    func take<Success, Failure: Error>(
        orFail failure: Failure, _ step: () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let steps = left.change { left in
            left -= 1
            return left + 1
        }
        if steps < 1 || (steps == 1 && death == .beforeTheStep) { throw failure }
        let success = try await step()
        if steps == 1 { throw failure }
        return success
    }
}

/// The reader of a process that dies.
struct MortalReader: TagReader {
    let reader: any TagReader
    let lifeline: Lifeline

    var name: String { reader.name }
    var longestAnswer: Int { reader.longestAnswer }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        guard lifeline.isAlive else { throw ReaderError(.readerLost) }
        return try await reader.select(within: limit)
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        try await lifeline.take(orFail: ReaderError(.readerLost)) { () throws(ReaderError) in
            try await reader.exchange(frame)
        }
    }

    func release() async { await reader.release() }
}
