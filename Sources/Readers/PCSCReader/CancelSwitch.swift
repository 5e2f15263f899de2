import BlockingLane
import CPCSC

/// Ends a wait from another thread. SCardCancel is the only call that another thread may make.
///
/// It is armed only while a context exists, under a lock that is also taken to release the context,
/// so a cancel never reaches a context that has been released. A cancel before the wait has begun
/// is lost, so waits are bounded and check for cancellation themselves.
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
