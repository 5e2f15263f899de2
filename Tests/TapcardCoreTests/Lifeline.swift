import BlockingLane

/// The steps that a process may still take before it dies: its reader and its ledger share them.
final class Lifeline: Steps {
    /// Whether the last step is still taken.
    enum Death: CaseIterable, Sendable {
        case beforeTheStep, afterTheStep
    }

    private let left: Guarded<Int>
    private let death: Death

    init(steps: Int, _ death: Death) {
        left = Guarded(steps)
        self.death = death
    }

    var isAlive: Bool { left.withLock { $0 > 0 } }

    /// Once the process is dead, every step fails, and nobody hears of it any more.
    func take<Success, Failure: Error>(
        orFail failure: Failure, _ step: () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let steps = left.withLock { left in
            left -= 1
            return left + 1
        }
        if steps < 1 || (steps == 1 && death == .beforeTheStep) { throw failure }
        let success = try await step()
        if steps == 1 { throw failure }
        return success
    }
}
