import BlockingLane
import TapcardCore

/// Decides whether an operation can still be stopped.
///
/// Progress is recorded synchronously where it happens, before the work continues, and not only
/// when someone reads the event. As a result, an operation cannot begin after its client was told
/// that it was stopped.
final class StopGate: Sendable {
    private struct State {
        /// Whether the operation can be stopped without leaving work incomplete.
        var isOpen: Bool
        /// Whether work has begun; still true if the operation waits for the card a second time.
        var hasBegun = false
    }

    private let state: Guarded<State>

    /// `isOpen` is false for a call to a service without a card: the service may already have been
    /// asked.
    init(isOpen: Bool) { state = Guarded(State(isOpen: isOpen)) }

    func note(_ progress: Station.Progress) {
        state.withLock { state in
            switch progress {
            case .waitingForCard, .scratching: state.isOpen = !state.hasBegun
            // The operation's own work has not begun, so its next wait can be stopped again.
            case .cardSeen, .resolving: state.isOpen = false
            case .asking, .writing, .switchingProtection, .committed:
                (state.isOpen, state.hasBegun) = (false, true)
            case .hint: break
            }
        }
    }

    /// Cancels the operation if it can still be stopped; otherwise, returns false. The lock
    /// prevents progress between the check and the cancellation.
    func stop(_ cancel: () -> Void) -> Bool {
        state.withLock { state in
            if state.isOpen { cancel() }
            return state.isOpen
        }
    }
}
