import BlockingLane
import CLinux
import Glibc

/// Reports when a file may have changed, so that a waiting caller does not have to poll. The folder
/// is watched, because each change replaces the file.
actor FileChanges {
    /// The maximum wait if the system does not report changes.
    private static let pollingMilliseconds: CInt = 20
    /// The maximum wait if the system reports changes. It is limited, because changes made by
    /// another machine are not reported.
    private static let maximumWaitMilliseconds: CInt = 1_000
    private static let watchedEvents = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF)

    private nonisolated let lane = BlockingLane(label: "tapcard.simulation")
    private nonisolated let name: String
    /// The inotify descriptor. If the system does not report changes, it is -1, which `poll`
    /// ignores.
    private nonisolated let descriptor: CInt
    /// The descriptor used to end a wait early.
    private nonisolated let alarm: CInt

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    init(_ path: String) {
        let slash = path.lastIndex(of: "/")
        name = String(path[(slash.map { path.index(after: $0) } ?? path.startIndex)...])
        let folder = slash.map { String(path[...$0]) } ?? "."
        alarm = linux_eventfd()
        var opened = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
        if opened >= 0, unsafe inotify_add_watch(opened, folder, FileChanges.watchedEvents) < 0 {
            close(opened)
            opened = -1
        }
        descriptor = opened
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if alarm >= 0 { close(alarm) }
    }

    /// Whether the file may have changed since the last call; always `true` if the system does not
    /// report changes.
    nonisolated func mayHaveChanged() -> Bool {
        guard descriptor >= 0 else { return true }
        var hasChanged = false
        unsafe withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
            while true {
                let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { break }
                let events = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
                hasChanged = unsafe concernsFile(events) || hasChanged
            }
        }
        return hasChanged
    }

    /// Returns when the file may have changed or time runs out, after at most one second. Returns
    /// immediately if the task is canceled.
    nonisolated func wait(atMost limit: Duration) async {
        await withTaskCancellationHandler {
            await watch(atMost: limit)
        } onCancel: {
            var one: UInt64 = 1
            // This fails only if the alarm is already set.
            unsafe write(alarm, &one, 8)
        }
    }

    private func watch(atMost limit: Duration) {
        let maximum =
            descriptor >= 0 ? FileChanges.maximumWaitMilliseconds : FileChanges.pollingMilliseconds
        let milliseconds = min(limit / .milliseconds(1), Double(maximum))
        var entries = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
        ]
        // The wait is at least one millisecond; with a limit of zero, poll() would not wait.
        _ = unsafe poll(&entries, nfds_t(entries.count), CInt(max(milliseconds, 1)))
        // If an earlier task's cancellation set the alarm, one wait ends too early, which is
        // harmless.
        var count: UInt64 = 0
        unsafe read(alarm, &count, 8)
    }

    /// Whether any of the events concerns the file or the folder itself.
    private nonisolated func concernsFile(_ events: UnsafeRawBufferPointer) -> Bool {
        let head = MemoryLayout<inotify_event>.size
        var position = 0
        while position + head <= events.count {
            let event = unsafe events.loadUnaligned(
                fromByteOffset: position, as: inotify_event.self)
            let end = position + head + Int(event.len)
            let padded = unsafe events[(position + head)..<end]
            // The name is padded with zeros; an event for the folder itself has no name.
            let text = unsafe String(decoding: padded.prefix { $0 != 0 }, as: UTF8.self)
            if text == name || text.isEmpty { return true }
            position = end
        }
        return false
    }
}
