import BlockingLane
import CCurl

/// Ends a transfer from outside, which is the only thing that another thread may do to it.
final class TransferSwitch: Sendable {
    private struct State {
        var isOff = false
        /// The waker for the current transfer.
        var waker: TransferWaker?
    }

    private let state = Guarded(State())

    var isOff: Bool { state.withLock { $0.isOff } }

    /// Sets the waker, which is no longer used once `disarm` has returned.
    func arm(_ waker: TransferWaker) {
        state.withLock { $0.waker = waker }
    }

    func disarm() {
        state.withLock { $0.waker = nil }
    }

    func turnOff() {
        state.withLock { state in
            // Under the lock that `disarm` also takes, so that a handle is never woken after its
            // release.
            state.isOff = true
            state.waker?.wake()
        }
    }
}

/// Wakes a multi handle that is waiting.
// Unchecked: curl_multi_wakeup is the one function that libcurl allows other threads to call.
@safe struct TransferWaker: @unchecked Sendable {
    private let functions: tapcard_libcurl
    private let multi: UnsafeMutableRawPointer

    init(_ functions: tapcard_libcurl, _ multi: UnsafeMutableRawPointer) {
        self.functions = functions
        unsafe self.multi = multi
    }

    func wake() {
        unsafe _ = functions.multi_wakeup(multi)
    }
}
