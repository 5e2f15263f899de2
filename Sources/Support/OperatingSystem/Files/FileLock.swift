import Glibc

/// An exclusive lock held by one process, or by one part of it, until the last reference is gone.
/// The system releases it when the process ends, even if the process crashes.
///
/// The file is kept when the lock is released: if it were removed, a second process could lock a
/// new file with that name while the first one still has the old file locked.
public final class FileLock: Sendable {
    private let file: FileDescriptor

    private init(_ file: consuming FileDescriptor) {
        self.file = file
    }

    deinit {
        // A leftover process ID would identify the wrong process.
        try? file.truncate()
        file.unlock()
    }

    /// Acquires the lock for this path, creating the file if necessary. Returns `nil` if something
    /// else holds the lock and `waiting` is false; a waiting call blocks its thread.
    public static func acquire(_ path: String, waiting: Bool) throws(FileError) -> FileLock? {
        // 0600: anyone who can open the file can acquire the lock.
        let file = try FileDescriptor.open(path, O_RDWR | O_CREAT | O_NOCTTY, mode: 0o600)
        guard try file.lock(waiting: waiting) else { return nil }
        try? file.truncate()
        // The process ID is used only in messages, so a full disk must not prevent locking.
        try? file.write(Array("\(getpid())\n".utf8))
        return FileLock(file)
    }

    /// Waits for the lock for this path and runs the body while holding it. `refusal` creates the
    /// error for a lock that cannot be acquired. `notice` is called once if the wait takes longer
    /// than a normal file update. Canceling the task ends the wait only if there is a `notice`.
    public static func holding<Success, Failure: Error>(
        _ path: String, orThrow refusal: (FileError) -> Failure,
        whenWaiting notice: (() -> Void)? = nil, _ body: () throws(Failure) -> Success
    ) throws(Failure) -> Success {
        var lock: FileLock?
        do throws(FileError) {
            // 50 tries, 20 ms apart, take one second; a normal file update takes less.
            let (triesBeforeNotice, pause): (Int, UInt32) = (50, 20_000)
            // With a notice, the lock is polled, because a blocking flock can be neither timed nor
            // canceled.
            lock = try acquire(path, waiting: notice == nil)
            var tries = 0
            while lock == nil {
                if Task.isCancelled { throw FileError(.cancelled, "\(path): stopped") }
                tries += 1
                if tries == triesBeforeNotice { notice?() }
                usleep(pause)
                lock = try acquire(path, waiting: false)
            }
        } catch {
            throw refusal(error)
        }
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// The process that holds the lock, if known, for a message to the user. The lock itself is not
    /// touched: a query must not keep another process from acquiring it.
    public static func holder(of path: String) -> Int32? {
        guard let bytes = try? DurableFile(path).read(limit: 16) else { return nil }
        let digits = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard let process = Int32(digits), process > 0 else { return nil }
        // A holder that was killed leaves its process ID in the file. EPERM means that the process
        // exists, but belongs to another user.
        return kill(process, 0) == 0 || errno == EPERM ? process : nil
    }
}
