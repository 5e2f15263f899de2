import BlockingLane
import TapcardCore

/// Decides whether an operation can still be stopped.
///
/// Progress is recorded synchronously, before the work continues, not later when the event is read.
/// An operation therefore cannot begin after its client was told that it was stopped.
final class StopGate: Sendable {
    private struct State {
        /// Whether the operation can be stopped without leaving work incomplete.
        var canStop: Bool
        /// Whether work has begun that must be completed, even if the card is needed a second time.
        var mustComplete = false
    }

    private let state: Guarded<State>

    /// `canStop` is false for a call that needs a service but no card: the service may already have
    /// been contacted.
    init(canStop: Bool) { state = Guarded(State(canStop: canStop)) }

    func note(_ progress: Station.Progress) {
        state.withLock { state in
            switch progress {
            case .waitingForCard, .scratching: state.canStop = !state.mustComplete
            // The operation's own work has not begun, so its next wait for a card can be stopped.
            case .cardSeen, .resolving: state.canStop = false
            case .asking, .writing, .switchingProtection, .committed:
                (state.canStop, state.mustComplete) = (false, true)
            case .hint: break
            }
        }
    }

    /// Cancels the operation if it can still be stopped; otherwise, returns false. The lock keeps
    /// the operation from progressing between the check and the cancellation.
    func stop(_ cancel: () -> Void) -> Bool {
        state.withLock { state in
            if state.canStop { cancel() }
            return state.canStop
        }
    }
}
