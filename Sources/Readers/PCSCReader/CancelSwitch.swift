import BlockingLane
import CPCSC

/// Lets another thread end a wait. SCardCancel is the only function that another thread may call.
///
/// The switch is armed only while a context exists. It is disarmed before the context is released,
/// under the lock that `cancel` also takes. A cancel that comes before the wait begins has no
/// effect. Waits are therefore bounded, and callers check for cancellation themselves.
final class CancelSwitch: Sendable {
    private let context = Guarded<SCARDCONTEXT?>(nil)

    func arm(_ context: SCARDCONTEXT) { self.context.withLock { $0 = context } }

    func disarm() { context.withLock { $0 = nil } }

    func cancel() {
        context.withLock { context in
            // A failure is harmless, because the wait is bounded.
            if let context { _ = tapcard_scard_cancel(context) }
        }
    }
}
