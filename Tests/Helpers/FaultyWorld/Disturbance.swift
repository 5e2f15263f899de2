import BlockingLane
package import Ledger
package import PortDoubles
package import Tags

/// A mishap or an event at one step of a station, over any reader and any ledger, as a `Scene` has
/// it in its own world.
package final class Disturbance: Sendable {
    /// The kind of step that is counted.
    package enum Scope: Sendable {
        /// Selections, frames and transactions.
        case steps
        /// Transactions that may change something.
        case commits
    }

    private enum Act { case radio, query, commit }
    /// The fate of one step.
    private enum Fate { case taken, unanswered, lost, refused }

    private struct State {
        var count = 0
        var isDead = false
        var isCutOff = false

        /// As in a `Scene`: a dead process reaches nothing, and one that is cut off no ledger.
        mutating func fate(of act: Act, _ mishap: Mishap?) -> Fate {
            if isDead || isCutOff && act != .radio { return .refused }
            switch mishap {
            case .killedBefore, .killedAfter:
                isDead = true
                return mishap == .killedBefore ? .refused : .unanswered
            case .ledgerOffline where act != .radio: return .refused
            case .ledgerGone where act != .radio:
                isCutOff = true
                return .refused
            case .commitLost where act == .commit: return .lost
            case .commitUnknown where act == .commit: return .unanswered
            case .commitUnknownLedgerGone where act == .commit:
                isCutOff = true
                return .unanswered
            default: return .taken
            }
        }
    }

    private let number: Int
    private let scope: Scope
    private let mishap: Mishap?
    private let isLasting: Bool
    private let event: @Sendable () async -> Void
    private let state = Guarded(State())

    /// The mishap at the step of this number, counted from 1, or at all later ones if it lasts.
    /// Faults of the radio are up to the simulated reader.
    package init(
        _ mishap: Mishap, at number: Int, of scope: Scope = .steps, isLasting: Bool = false
    ) {
        (self.number, self.scope, self.mishap) = (number, scope, mishap)
        self.isLasting = isLasting
        event = {}
    }

    /// The event right before the step of this number.
    package init(
        before number: Int, of scope: Scope = .steps, _ event: @escaping @Sendable () async -> Void
    ) {
        (self.number, self.scope, mishap, isLasting) = (number, scope, nil, false)
        self.event = event
    }

    /// Whether the step was reached.
    package var hasCome: Bool { state.withLock { $0.count >= number } }

    package func reader(_ reader: any TagReader) -> InterposedReader {
        InterposedReader(
            reader,
            select: { limit, reader throws(ReaderError) in
                try await self.onRadio { () throws(ReaderError) in
                    try await reader.select(within: limit)
                }
            },
            answer: { frame, reader throws(ReaderError) in
                try await self.onRadio { () throws(ReaderError) in
                    try await reader.exchange(frame)
                }
            })
    }

    package func ledger(_ ledger: any LedgerStore) -> InterposedLedger {
        let away = LedgerError(.unavailable, "the ledger does not answer")
        let unknown = LedgerError(.outcomeUnknown, "the connection was cut during COMMIT")
        return InterposedLedger(ledger) { call in
            switch await self.fate(of: call == .commit ? .commit : .query) {
            case .taken: .passedOn
            case .unanswered: .unanswered(call == .commit ? unknown : away)
            case .lost: .refused(unknown)
            case .refused: .refused(away)
            }
        }
    }

    private func onRadio<Success>(
        _ step: () async throws(ReaderError) -> Success
    ) async throws(ReaderError) -> Success {
        switch await fate(of: .radio) {
        case .taken: return try await step()
        case .unanswered: _ = try await step()
        case .lost, .refused: break
        }
        throw ReaderError(.readerLost)
    }

    private func fate(of act: Act) async -> Fate {
        let (fate, isDue) = state.withLock { state -> (Fate, Bool) in
            let isCounted = scope == .steps || act == .commit
            if isCounted { state.count += 1 }
            let isDue = isCounted && state.count == number
            let isMet = isDue || isLasting && isCounted && state.count > number
            return (state.fate(of: act, isMet ? mishap : nil), isDue)
        }
        if isDue { await event() }
        return fate
    }
}
