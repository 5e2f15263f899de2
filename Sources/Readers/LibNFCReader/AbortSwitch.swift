import BlockingLane
import CLibNFC
import Dispatch

/// Ends a wait for a tag early, from any thread.
///
/// `nfc_abort_command` is the only function that another thread may call, and it has pitfalls: on
/// USB, an abort while nothing is running ends the next command; on a serial port, an abort that
/// comes too early has no effect and costs a descriptor. It is therefore called only if one of the
/// wait's commands has been running for a long time, at most a few times, and never while the
/// device is being opened or closed.
final class AbortSwitch: Sendable {
    /// How long a command may run before it is aborted. A search that finds no tag ends sooner, so
    /// only a hung reader's command is aborted.
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

    /// Runs one command of a wait. Returns `nil` if the command was aborted, even if it also ended
    /// on its own: in that case, the abort will end the next command.
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

    /// Aborts the commands in this wait if one of them hangs.
    func cancel(_ wait: UInt64) { schedule(wait, aborts: Self.maximumAborts) }

    private func schedule(_ wait: UInt64, aborts: Int) {
        guard aborts > 0 else { return }
        // After the delay, only hung commands are still running. A pause between two searches ends
        // on its own.
        Self.queue.asyncAfter(deadline: .now() + Self.delay) {
            // On a serial line, an abort that comes too early has no effect, so the abort is
            // repeated as long as the command is running.
            if self.abort(wait) { self.schedule(wait, aborts: aborts - 1) }
        }
    }

    /// Aborts the command that is running in this wait; returns `false` if none was running or an
    /// abort is not possible.
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
