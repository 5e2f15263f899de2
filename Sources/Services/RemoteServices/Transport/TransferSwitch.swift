import BlockingLane
import CCurl

/// Lets another thread stop a transfer. Other threads must not affect it in any other way.
final class TransferSwitch: Sendable {
    private struct State {
        var isOff = false
        /// The waker for the current transfer.
        var waker: TransferWaker?
    }

    private let state = Guarded(State())

    var isOff: Bool { state.withLock { $0.isOff } }

    /// Sets the waker. The waker is not used after `disarm` has returned.
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
// `@unchecked`, because any thread may call curl_multi_wakeup, the only function used here.
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
