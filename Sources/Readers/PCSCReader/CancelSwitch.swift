import CPCSC
import Glibc

/// Wakes a wait from another thread: SCardCancel is the one call that may come from there.
///
/// It is armed only while a context lives, under a lock that releasing the context takes too, so
/// no cancel ever reaches a context that is not there any more. A cancel that comes before the
/// wait has begun is lost: waits are bounded, and ask on their own whether they were cancelled.
@safe final class CancelSwitch: Sendable {
    // The memory never moves, and everything behind it is used under the lock only.
    private nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(
        capacity: 1)
    // Read and written under the lock only.
    private nonisolated(unsafe) var context: SCARDCONTEXT?

    init() { unsafe pthread_mutex_init(mutex, nil) }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    func arm(_ context: SCARDCONTEXT) { locked { unsafe self.context = context } }

    func disarm() { locked { unsafe context = nil } }

    func cancel() {
        locked {
            // What a failure would mean, a bounded wait makes good.
            if let context = unsafe context { _ = tapcard_scard_cancel(context) }
        }
    }

    private func locked(_ body: () -> Void) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        body()
    }
}
