import Glibc

/// An open file of the system, closed when it goes out of scope and by no child inherited.
package struct FileDescriptor: ~Copyable, Sendable {
    private let number: Int32
    private let path: String

    private init(number: Int32, path: String) {
        self.number = number
        self.path = path
    }

    deinit {
        // What had to reach the disk was synchronised before: nothing can be lost here.
        _ = Glibc.close(number)
    }

    package static func open(
        _ path: String, _ flags: Int32, mode: UInt32 = 0
    ) throws(FileError) -> FileDescriptor {
        let number = unsafe Glibc.open(path, flags | O_CLOEXEC, mode)
        guard number >= 0 else { throw .last(path) }
        return FileDescriptor(number: number, path: path)
    }

    /// Standard input, under a number of its own: it is not closed with this.
    static func standardInput() throws(FileError) -> FileDescriptor {
        let number = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        guard number >= 0 else { throw .last("standard input") }
        return FileDescriptor(number: number, path: "standard input")
    }

    /// Refuses what is no regular file: it has no end, or none before somebody else wants one.
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
        if let other { throw FileError(.notRegular, "\(path): \(other) and no file") }
    }

    /// Everything from here to the end, unless that is more than `limit` bytes.
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

    /// What comes next, at most so many bytes; none at the end.
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

    /// Returns when there is something to read, or somebody who wrote has come to the end.
    private func waitForMore() throws(FileError) {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&entry, 1, 100) <= 0 {
            guard !Task.isCancelled else {
                throw FileError(.cancelled, "\(path): stopped before anybody wrote to its end")
            }
        }
    }

    package func write(_ bytes: [UInt8]) throws(FileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(number, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last(path) }
            // A device that takes nothing and reports nothing would be asked for ever.
            guard count > 0 else { throw .last(path, number: EIO) }
            rest = rest.dropFirst(count)
        }
    }

    /// Sets the permissions exactly: those given at creation are cut by the user's mask.
    func setPermissions(_ mode: UInt32) throws(FileError) {
        guard fchmod(number, mode) == 0 else { throw .last(path) }
    }

    func synchronise() throws(FileError) {
        guard fsync(number) == 0 else { throw .last(path) }
    }

    func truncate() throws(FileError) {
        guard ftruncate(number, 0) == 0 else { throw .last(path) }
    }

    /// Takes the lock of the whole file; false if it is held elsewhere and not waited for.
    package func lock(waiting: Bool) throws(FileError) -> Bool {
        while flock(number, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw .last(path) }
        }
        return true
    }

    /// Gives the lock back at once. Closing alone would leave it with a child that is just being
    /// started and still holds a copy of the descriptor.
    package func unlock() { _ = flock(number, LOCK_UN) }
}
