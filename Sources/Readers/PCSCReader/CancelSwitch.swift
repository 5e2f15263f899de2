import BlockingLane
import CPCSC

/// Wakes a wait from another thread: SCardCancel is the one call that may come from there.
///
/// It is armed only while a context lives, under a lock that releasing the context takes too, so
/// no cancel ever reaches a context that is not there any more. A cancel that comes before the
/// wait has begun is lost: waits are bounded, and ask on their own whether they were cancelled.
final class CancelSwitch: Sendable {
    private let context = Guarded<SCARDCONTEXT?>(nil)

    func arm(_ context: SCARDCONTEXT) { self.context.withLock { $0 = context } }

    func disarm() { context.withLock { $0 = nil } }

    func cancel() {
        context.withLock { context in
            // What a failure would mean, a bounded wait makes good.
            if let context { _ = tapcard_scard_cancel(context) }
        }
    }
}
