import BlockingLane
import TapcardCore

/// Decides whether an operation can still be stopped.
///
/// Progress is recorded synchronously where it happens, before the work continues, and not when the
/// event is read. This way, an operation cannot begin after its client was told that it was
/// stopped.
final class StopGate: Sendable {
    private struct State {
        /// Whether the operation can be stopped without leaving work incomplete.
        var isOpen: Bool
        /// Whether work has begun; it stays true while waiting for the card again.
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
            // Nothing of this operation has begun yet, so its next wait can be stopped again.
            case .cardSeen, .resolving: state.isOpen = false
            case .asking, .writing, .switchingProtection, .committed:
                (state.isOpen, state.hasBegun) = (false, true)
            case .hint: break
            }
        }
    }

    /// Cancels the operation if it can still be stopped; otherwise returns false. The lock keeps
    /// progress from happening between the check and the cancellation.
    func stop(_ cancel: () -> Void) -> Bool {
        state.withLock { state in
            if state.isOpen { cancel() }
            return state.isOpen
        }
    }
}
