import BlockingLane
import CLibNFC
import Dispatch

/// Ends a wait for a tag early, from whatever thread cancels it.
///
/// `nfc_abort_command` is the one call that may come from another thread, and it has traps: on
/// USB an abort while nothing runs ends the next command, on a serial port one that comes too
/// early is lost and costs a descriptor. So it is called only while a command of that very wait
/// has been running for long already, a few times at most, and never beside opening or closing.
final class AbortSwitch: Sendable {
    /// A command that finds no tag is over by then: only a reader that hangs is aborted.
    private static let patience = DispatchTimeInterval.milliseconds(100)
    private static let mostAborts = 3
    private static let queue = DispatchQueue(label: "tapcard.libnfc.abort")

    // The pointers are only used under the lock.
    @safe private struct State {
        var function: (@convention(c) (OpaquePointer?) -> Int32)?
        var device: OpaquePointer?
        var lastWait: UInt64 = 0
        var running: UInt64?
        var wasAborted = false
    }

    /// Held while an abort runs: nobody closes the device beside it.
    private let state = Guarded(State())

    /// From here on there is something to abort.
    func arm(_ device: OpaquePointer, _ library: LibNFCLibrary) {
        state.withLock { state in
            unsafe state.device = device
            unsafe state.function = library.functions.abort_command
        }
    }

    /// To be called before the device is closed.
    func disarm() {
        state.withLock { state in unsafe state.device = nil }
    }

    /// A number for one wait, by which its cancellation finds its own commands and no others.
    func nextWait() -> UInt64 {
        state.withLock { state in
            state.lastWait += 1
            return state.lastWait
        }
    }

    /// Runs one command of a wait; nil if it was aborted, even if it had ended by itself: the
    /// abort then still lies in wait for the next command.
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

    /// Ends the commands of this wait, should one of them hang.
    func cancel(_ wait: UInt64) { schedule(wait, aborts: Self.mostAborts) }

    private func schedule(_ wait: UInt64, aborts: Int) {
        guard aborts > 0 else { return }
        Self.queue.asyncAfter(deadline: .now() + Self.patience) {
            if self.abort(wait) { self.schedule(wait, aborts: aborts - 1) }
        }
    }

    /// Whether a command of this wait was running.
    private func abort(_ wait: UInt64) -> Bool {
        state.withLock { state in
            guard state.running == wait, let device = unsafe state.device,
                let function = unsafe state.function, DescriptorTable.hasRoomForReader
            else { return false }
            _ = unsafe function(device)
            state.wasAborted = true
            return true
        }
    }
}
