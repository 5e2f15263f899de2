import BlockingLane
import TapcardCore

/// Decides whether an operation can still be stopped.
///
/// How far it is gets noted where it happens, before it goes on, and not when its events are read:
/// so it cannot begin behind the back of whoever was told that it was stopped.
final class StopGate: Sendable {
    private struct State {
        /// Whether nothing is under way that has to come to its end.
        var isOpen: Bool
        /// What has been begun is begun, also while a card is waited for once more.
        var hasBegun = false
    }

    private let state: Guarded<State>

    /// What asks a service without a card may have asked it already, and cannot be stopped.
    init(isOpen: Bool) { state = Guarded(State(isOpen: isOpen)) }

    func note(_ progress: Station.Progress) {
        state.withLock { state in
            switch progress {
            case .waitingForCard, .scratching: state.isOpen = !state.hasBegun
            case .cardSeen, .settling: state.isOpen = false
            case .asking, .writing, .switchingProtection, .committed:
                (state.isOpen, state.hasBegun) = (false, true)
            case .hint: break
            }
        }
    }

    /// Cancels, where it can still be stopped; false where it cannot. Between the two nothing goes on.
    func stop(_ cancel: () -> Void) -> Bool {
        state.withLock { state in
            if state.isOpen { cancel() }
            return state.isOpen
        }
    }
}
