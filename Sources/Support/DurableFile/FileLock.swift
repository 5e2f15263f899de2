import Glibc

/// The right of one process, or one part of it, to be the only one: held until the last
/// reference goes. The system gives it back when the process dies, however it dies.
///
/// The file stays when the lock is released: whoever removed it could let a second holder lock
/// a new file of that name while a first one still holds the old.
public final class FileLock: Sendable {
    private let file: FileDescriptor

    private init(_ file: consuming FileDescriptor) {
        self.file = file
    }

    deinit {
        // A number left behind would only name the wrong one.
        try? file.truncate()
        file.unlock()
    }

    /// Takes the lock of this path, making the file if need be. Nil if somebody else holds it
    /// and it is not waited for; a waiting call blocks its thread.
    public static func acquire(_ path: String, waiting: Bool) throws(FileError) -> FileLock? {
        let file = try FileDescriptor.open(path, O_RDWR | O_CREAT | O_NOCTTY, mode: 0o644)
        guard try file.lock(waiting: waiting) else { return nil }
        try? file.truncate()
        // The number is for messages only: a full disk must not keep anyone from the lock.
        try? file.write(Array("\(getpid())\n".utf8))
        return FileLock(file)
    }

    /// Runs the body while this process is the only one that holds the lock of this path, which it
    /// waits for. `refusal` says in the caller's words that there is no lock.
    public static func holding<Success, Failure: Error>(
        _ path: String, orThrow refusal: (FileError) -> Failure,
        _ body: () throws(Failure) -> Success
    ) throws(Failure) -> Success {
        let lock: FileLock?
        do throws(FileError) {
            lock = try acquire(path, waiting: true)
        } catch {
            throw refusal(error)
        }
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// The process that holds the lock, for a message to people; nil if that is not known. The
    /// lock itself is not touched: to ask must not keep another process from acquiring it.
    public static func holder(of path: String) -> Int32? {
        guard let bytes = try? DurableFile(path).read(limit: 16) else { return nil }
        let digits = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard let process = Int32(digits), process > 0 else { return nil }
        // A holder that was killed has left its number behind.
        return kill(process, 0) == 0 || errno == EPERM ? process : nil
    }
}
