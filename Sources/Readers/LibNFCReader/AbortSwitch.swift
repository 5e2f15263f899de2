import BlockingLane
import CLibNFC
import Dispatch

/// Ends a wait for a tag early, from any thread.
///
/// `nfc_abort_command` is the only function that another thread may call, and it has pitfalls: on
/// USB, an abort while no command is running aborts the next one; on a serial port, an abort that
/// comes too early has no effect and leaks a file descriptor. It is therefore called only if one of
/// the wait's commands hangs, at most a few times, and never while the device is being opened or
/// closed.
final class AbortSwitch: Sendable {
    /// The delay between a cancellation and the first abort, and between aborts. A search that
    /// finds no tag ends sooner, so only a hung reader's command is aborted.
    private static let delay = DispatchTimeInterval.milliseconds(100)
    private static let maximumAborts = 3
    private static let queue = DispatchQueue(label: "tapcard.libnfc.abort")

    // The pointers are used only under the lock.
    @safe private struct State {
        var function: (@convention(c) (OpaquePointer?) -> Int32)?
        var device: OpaquePointer?
        var lastWait: UInt64 = 0
        var running: UInt64?
        var wasAborted = false
    }

    /// The shared state. Its lock is held during an abort, so that the device is not closed at the
    /// same time.
    private let state = Guarded(State())

    /// Makes this device's commands abortable.
    func arm(_ device: OpaquePointer, _ library: LibNFCLibrary) {
        state.withLock { state in
            unsafe state.device = device
            unsafe state.function = library.functions.abort_command
        }
    }

    /// Prevents aborts. Must be called before the device is closed.
    func disarm() {
        state.withLock { state in unsafe state.device = nil }
    }

    /// Returns a number for a new wait, so that canceling the wait aborts only its own commands.
    func nextWait() -> UInt64 {
        state.withLock { state in
            state.lastWait += 1
            return state.lastWait
        }
    }

    /// Runs one of a wait's commands. Returns `nil` if the command was aborted, even if it also
    /// finished on its own: in that case, the abort takes effect on the next command.
    func during<Success>(_ wait: UInt64, _ command: () -> Success) -> Success? {
        state.withLock { state in
            state.running = wait
            state.wasAborted = false
        }
        let success = command()
        let wasAborted = state.withLock { state in
            state.running = nil
            return state.wasAborted
        }
        return wasAborted ? nil : success
    }

    /// Aborts the wait's current command if it hangs.
    func cancel(_ wait: UInt64) { schedule(wait, aborts: Self.maximumAborts) }

    private func schedule(_ wait: UInt64, aborts: Int) {
        guard aborts > 0 else { return }
        // A command that is still running after the delay is hung. A pause between two searches
        // ends on its own.
        Self.queue.asyncAfter(deadline: .now() + Self.delay) {
            // On a serial line, an abort that comes too early has no effect, so the abort is
            // repeated as long as the command is running.
            if self.abort(wait) { self.schedule(wait, aborts: aborts - 1) }
        }
    }

    /// Aborts the wait's running command. Returns `false` if none is running or it cannot be
    /// aborted.
    private func abort(_ wait: UInt64) -> Bool {
        state.withLock { state in
            guard state.running == wait, let device = unsafe state.device,
                // An abort opens two descriptors. If their numbers are 1024 or higher, libnfc's
                // select() writes past the end of its set.
                let function = unsafe state.function, DescriptorTable.hasRoomForReader
            else { return false }
            _ = unsafe function(device)
            state.wasAborted = true
            return true
        }
    }
}
