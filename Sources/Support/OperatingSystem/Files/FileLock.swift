import Glibc

/// An exclusive lock of one process, or one part of it, held until the last reference is gone. The
/// system releases it when the process dies, in any way.
///
/// The file stays when the lock is released: removing it could let a second holder lock a new file
/// of that name while a first one still holds the old.
public final class FileLock: Sendable {
    private let file: FileDescriptor

    private init(_ file: consuming FileDescriptor) {
        self.file = file
    }

    deinit {
        // A process number that remains would name the wrong process.
        try? file.truncate()
        file.unlock()
    }

    /// Takes the lock of this path and creates the file if needed. `nil` if it is held elsewhere
    /// and `waiting` is false; a waiting call blocks its thread.
    public static func acquire(_ path: String, waiting: Bool) throws(FileError) -> FileLock? {
        // 0600: anyone who can open this file could take the lock.
        let file = try FileDescriptor.open(path, O_RDWR | O_CREAT | O_NOCTTY, mode: 0o600)
        guard try file.lock(waiting: waiting) else { return nil }
        try? file.truncate()
        // The number is only for messages: a full disk must not prevent locking.
        try? file.write(Array("\(getpid())\n".utf8))
        return FileLock(file)
    }

    /// Waits for the lock of this path and runs the body while holding it. `refusal` makes the error
    /// for a lock that cannot be taken. `notice` is called once if waiting takes longer than a normal
    /// file update; with a notice, cancelling the task ends the wait.
    public static func holding<Success, Failure: Error>(
        _ path: String, orThrow refusal: (FileError) -> Failure,
        whenWaiting notice: (() -> Void)? = nil, _ body: () throws(Failure) -> Success
    ) throws(Failure) -> Success {
        var lock: FileLock?
        do throws(FileError) {
            let (triesBeforeNotice, pause): (Int, UInt32) = (50, 20_000)
            // With a notice it polls: a blocking flock can be neither timed nor cancelled.
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

    /// The process that holds the lock, for a message to the user, if it is known. The lock itself
    /// is not touched: a query must not keep another process from acquiring it.
    public static func holder(of path: String) -> Int32? {
        guard let bytes = try? DurableFile(path).read(limit: 16) else { return nil }
        let digits = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard let process = Int32(digits), process > 0 else { return nil }
        // A holder that was killed has left its number in the file.
        return kill(process, 0) == 0 || errno == EPERM ? process : nil
    }
}
