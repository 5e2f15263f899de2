import BlockingLane
import CCurl

/// Lets another thread end a transfer. Other threads must not do anything else to a transfer.
final class TransferSwitch: Sendable {
    private struct State {
        var isOff = false
        /// The waker for the current transfer.
        var waker: TransferWaker?
    }

    private let state = Guarded(State())

    var isOff: Bool { state.withLock { $0.isOff } }

    /// Sets the waker. It is no longer used once `disarm` has returned.
    func arm(_ waker: TransferWaker) {
        state.withLock { $0.waker = waker }
    }

    func disarm() {
        state.withLock { $0.waker = nil }
    }

    func turnOff() {
        state.withLock { state in
            // `disarm` takes the same lock, so a handle is never woken after its release.
            state.isOff = true
            state.waker?.wake()
        }
    }
}

/// Wakes a multi handle that is waiting.
// Unchecked, because other threads may call curl_multi_wakeup, the only function used here.
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
