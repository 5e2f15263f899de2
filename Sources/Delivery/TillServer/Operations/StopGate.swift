import BlockingLane
import TapcardCore

/// Decides whether an operation can still be stopped.
///
/// Progress is recorded synchronously, before the work continues, not later when the event is read.
/// An operation therefore cannot begin after its client was told that it was stopped.
final class StopGate: Sendable {
    private struct State {
        /// Whether the operation can be stopped without leaving work incomplete.
        var isOpen: Bool
        /// Whether work has begun; stays true if the operation waits for the card a second time.
        var hasBegun = false
    }

    private let state: Guarded<State>

    /// `isOpen` is false for a call that needs a service but no card: the service may already have
    /// been contacted.
    init(isOpen: Bool) { state = Guarded(State(isOpen: isOpen)) }

    func note(_ progress: Station.Progress) {
        state.withLock { state in
            switch progress {
            case .waitingForCard, .scratching: state.isOpen = !state.hasBegun
            // The operation's own work has not begun, so its next wait for a card can be stopped.
            case .cardSeen, .resolving: state.isOpen = false
            case .asking, .writing, .switchingProtection, .committed:
                (state.isOpen, state.hasBegun) = (false, true)
            case .hint: break
            }
        }
    }

    /// Cancels the operation if it can still be stopped; otherwise, returns false. The lock keeps
    /// the operation from progressing between the check and the cancellation.
    func stop(_ cancel: () -> Void) -> Bool {
        state.withLock { state in
            if state.isOpen { cancel() }
            return state.isOpen
        }
    }
}
