import CLibNFC
import Dispatch
import Glibc

/// Ends a wait for a tag early, from whatever thread cancels it.
///
/// `nfc_abort_command` is the one call that may come from another thread, and it has traps: on
/// USB an abort while nothing runs ends the next command, on a serial port one that comes too
/// early is lost and costs a descriptor. So it is called only while a command of that very wait
/// has been running for long already, a few times at most, and never beside opening or closing.
// The mutex guards everything that changes; the pointers are only used under it.
@safe final class AbortSwitch: @unchecked Sendable {
    /// A command that finds no tag is over by then: only a reader that hangs is aborted.
    private static let patience = DispatchTimeInterval.milliseconds(100)
    private static let mostAborts = 3
    private static let queue = DispatchQueue(label: "tapcard.libnfc.abort")

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var function: (@convention(c) (OpaquePointer?) -> Int32)?
    private var device: OpaquePointer?
    private var lastWait: UInt64 = 0
    private var running: UInt64?
    private var wasAborted = false

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// From here on there is something to abort.
    func arm(_ device: OpaquePointer, _ library: LibNFCLibrary) {
        locked {
            unsafe self.device = device
            unsafe function = library.functions.abort_command
        }
    }

    /// To be called before the device is closed.
    func disarm() {
        locked { unsafe device = nil }
    }

    /// A number for one wait, by which its cancellation finds its own commands and no others.
    func nextWait() -> UInt64 {
        locked {
            lastWait += 1
            return lastWait
        }
    }

    /// Runs one command of a wait; nil if it was aborted, even if it had ended by itself: the
    /// abort then still lies in wait for the next command.
    func during<Success>(_ wait: UInt64, _ command: () -> Success) -> Success? {
        locked {
            running = wait
            wasAborted = false
        }
        let success = command()
        return locked {
            running = nil
            return wasAborted ? nil : success
        }
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
        locked {
            guard running == wait, let device = unsafe device, let function = unsafe function,
                DescriptorTable.hasRoomForReader
            else { return false }
            _ = unsafe function(device)
            wasAborted = true
            return true
        }
    }

    private func locked<Success>(_ body: () -> Success) -> Success {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }
}
