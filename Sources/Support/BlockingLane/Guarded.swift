import Glibc

/// A value that several threads can use, one at a time.
///
/// It uses a system mutex rather than `Synchronization.Mutex`, which the thread sanitizer does not
/// support.
// Unchecked: the mutex is what makes it safe to share.
@safe public final class Guarded<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    public init(_ value: sending Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        // The mutex is allocated at a fixed address, because it must not move in memory while it is
        // in use.
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs the body with the value locked. The body must not lock the same value again.
    public func withLock<Success, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Success
    ) throws(Failure) -> sending Success {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
