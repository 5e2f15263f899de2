import Glibc

/// An open file, closed when it goes out of scope and not inherited by child processes.
package struct FileDescriptor: ~Copyable, Sendable {
    private let number: Int32
    private let path: String

    private init(number: Int32, path: String) {
        self.number = number
        self.path = path
    }

    deinit {
        // Data that must reach the disk has already been synchronized, so nothing is lost if this
        // fails.
        _ = Glibc.close(number)
    }

    package static func open(
        _ path: String, _ flags: Int32, mode: UInt32 = 0
    ) throws(FileError) -> FileDescriptor {
        let number = unsafe Glibc.open(path, flags | O_CLOEXEC, mode)
        guard number >= 0 else { throw .last(path) }
        return FileDescriptor(number: number, path: path)
    }

    /// A duplicate of standard input, so that closing it leaves standard input open.
    static func standardInput() throws(FileError) -> FileDescriptor {
        // The number is at least 3, so that the copy never takes the place of a closed standard
        // stream.
        let number = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        guard number >= 0 else { throw .last("standard input") }
        return FileDescriptor(number: number, path: "standard input")
    }

    /// Throws unless this is a regular file. Reading any other kind of file may take forever.
    func requireRegular() throws(FileError) {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .last(path) }
        let other =
            switch status.st_mode & S_IFMT {
            case S_IFREG: nil as String?
            case S_IFDIR: throw .last(path, number: EISDIR)
            case S_IFIFO: "a pipe"
            default: "a device"
            }
        if let other { throw FileError(.notRegular, "\(path) is \(other), not a file") }
    }

    /// The bytes from the current position to the end. Throws if there are more than `limit`.
    package func read(limit: Int, waiting: Bool = false) throws(FileError) -> [UInt8] {
        var content: [UInt8] = []
        while true {
            let chunk = try readSome(65_536, waiting: waiting)
            if chunk.isEmpty { return content }
            guard chunk.count <= limit - content.count else {
                throw FileError(.tooLarge, "\(path): more than \(limit) bytes")
            }
            content += chunk
        }
    }

    /// The next bytes, at most `limit` of them; empty at the end.
    func readSome(_ limit: Int, waiting: Bool = false) throws(FileError) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: limit)
        while true {
            if waiting { try waitForMore() }
            let count = unsafe Glibc.read(number, &chunk, chunk.count)
            if count < 0, errno == EINTR || (waiting && errno == EAGAIN) { continue }
            guard count >= 0 else { throw .last(path) }
            chunk.removeLast(limit - count)
            return chunk
        }
    }

    /// Returns when there is something to read, or when the writer has closed its end.
    private func waitForMore() throws(FileError) {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        // The loop runs ten times a second, because canceling a task cannot interrupt `poll`.
        while unsafe poll(&entry, 1, 100) <= 0 {
            guard !Task.isCancelled else {
                throw FileError(
                    .cancelled, "\(path): stopped before anything was written to the pipe")
            }
        }
    }

    package func write(_ bytes: [UInt8]) throws(FileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(number, $0.baseAddress, $0.count)
            }
            // A signal interrupted the call before anything was written.
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last(path) }
            // Without this, a device that neither accepts anything nor reports an error would cause
            // an infinite loop.
            guard count > 0 else { throw .last(path, number: EIO) }
            rest = rest.dropFirst(count)
        }
    }

    /// Sets exactly these permissions. The umask removes some of the permissions given at creation.
    func setPermissions(_ mode: UInt32) throws(FileError) {
        guard fchmod(number, mode) == 0 else { throw .last(path) }
    }

    func synchronize() throws(FileError) {
        guard fsync(number) == 0 else { throw .last(path) }
    }

    func truncate(to length: Int = 0) throws(FileError) {
        guard ftruncate(number, off_t(length)) == 0 else { throw .last(path) }
    }

    /// Moves to the end of the file.
    func seekToEnd() throws(FileError) {
        guard lseek(number, 0, SEEK_END) >= 0 else { throw .last(path) }
    }

    /// Locks the whole file. Returns `false` if something else holds the lock and `waiting` is
    /// false.
    package func lock(waiting: Bool) throws(FileError) -> Bool {
        while flock(number, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw .last(path) }
        }
        return true
    }

    /// Releases the lock immediately. If the file were merely closed, a child process that is just
    /// being started and still has a copy of the descriptor would keep the lock.
    package func unlock() { _ = flock(number, LOCK_UN) }
}
