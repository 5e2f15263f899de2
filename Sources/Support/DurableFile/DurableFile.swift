import Glibc

/// A small file that is replaced as a whole: after a crash or a power cut it holds either the
/// old bytes or the new ones, never a mix and never nothing.
public struct DurableFile: Sendable, Hashable {
    /// The most bytes that are read unless the caller says otherwise.
    public static let readingLimit = 16_777_216

    public let path: String

    public init(_ path: String) {
        self.path = path
    }

    /// The bytes, or nil when there is no such file.
    ///
    /// What lies there instead of a file, a pipe for example, is refused: nobody may be kept
    /// waiting by it.
    public func read(limit: Int = readingLimit) throws(FileError) -> [UInt8]? {
        try unlessMissing { () throws(FileError) in
            let file = try FileDescriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
            try file.requireRegular()
            return try file.read(limit: limit)
        }
    }

    /// What stands for standard input or output where a person names a file.
    public static let standardStream = "-"

    /// The bytes of what a person has named, or nil when there is nothing: a pipe will do, and is
    /// waited for until the task is cancelled; "-" is standard input.
    public func readStream(limit: Int = readingLimit) throws(FileError) -> [UInt8]? {
        if path == DurableFile.standardStream {
            return try FileDescriptor.standardInput().read(limit: limit, waiting: true)
        }
        return try unlessMissing { () throws(FileError) in
            // Opening a pipe that nobody writes to would wait where nobody can be told to stop.
            try FileDescriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
                .read(limit: limit, waiting: true)
        }
    }

    private func unlessMissing(
        _ read: () throws(FileError) -> [UInt8]
    ) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            return try read()
        } catch {
            guard error.kind == .notFound else { throw error }
            try FileStatus.requireNoDanglingLink(in: path)
            return nil
        }
    }

    /// The file that a link leads to; the file itself where it is none, or is not there.
    public func resolved() throws(FileError) -> DurableFile {
        guard let target = unsafe realpath(path, nil) else {
            guard errno == ENOENT else { throw .last(path) }
            return self
        }
        defer { unsafe free(target) }
        return unsafe DurableFile(String(cString: target))
    }

    /// Replaces the file, with exactly these permissions.
    ///
    /// The bytes go to a temporary file beside it, which then takes its name. With `durable` the
    /// call returns only when bytes and name are on the disk. When it throws, the file is as it
    /// was, or new if only the name was not confirmed.
    public func write(
        _ bytes: [UInt8], mode: UInt32 = 0o644, durable: Bool = true
    ) throws(FileError) {
        let temporary = path + "." + String(UInt64.random(in: 0...UInt64.max), radix: 36) + ".new"
        // Nobody else can read it while it is filled, whatever its final permissions are.
        let file = try FileDescriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        do throws(FileError) {
            try file.setPermissions(mode)
            try file.write(bytes)
            if durable { try file.synchronise() }
            guard unsafe rename(temporary, path) == 0 else { throw .last(path) }
        } catch {
            _ = unsafe unlink(temporary)
            throw error
        }
        guard durable else { return }
        try DurableFile.reachDisk(folder)
    }

    /// Removes the file; one that is not there is as good as removed.
    public func remove() throws(FileError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .last(path) }
    }

    /// Gives the file another name in the same folder, in the place of whatever has that name.
    public func move(to path: String) throws(FileError) {
        guard unsafe rename(self.path, path) == 0 else { throw .last(self.path) }
        try DurableFile.reachDisk(folder)
    }

    /// The permission bits (mode & 07777), or nil when there is no such file.
    public func permissions() throws(FileError) -> UInt32? {
        try FileStatus.of(path)?.permissions
    }

    /// Which file this is and in which state: another stamp when its bytes, its permissions or the
    /// file itself may be others.
    public struct Stamp: Hashable, Sendable {
        let device: UInt
        let number: UInt
        let size: Int
        /// Seconds, and nanoseconds beside them.
        let changed: [Int]
    }

    /// Nil when there is no such file.
    public func stamp() throws(FileError) -> Stamp? { try FileStatus.of(path)?.stamp }

    /// The number of the user who owns the file, or nil when there is no such file.
    public func owner() throws(FileError) -> UInt32? {
        try FileStatus.of(path)?.owner
    }

    /// Whether root owns the file and this process is somebody else's.
    public func isLentByRoot() throws(FileError) -> Bool {
        let owner = try owner()
        return owner == DurableFile.root && geteuid() != DurableFile.root
    }

    /// Makes a folder and those above it, as far as they are missing, and their names durable.
    public static func makeFolder(_ path: String, mode: UInt32 = 0o700) throws(FileError) {
        var ends = path.indices.filter { path[$0] == "/" && $0 > path.startIndex }
        ends.append(path.endIndex)
        for end in ends {
            let folder = String(path[..<end])
            // Asked first: for a folder that is there, mkdir may complain of what it cannot do.
            if try FileStatus.of(folder)?.isFolder == true { continue }
            // Another process may make it between the two calls, which is fine.
            if unsafe mkdir(folder, mode) == 0 {
                try reachDisk(DurableFile(folder).folder)
                continue
            }
            let failure = FileError.last(folder)
            guard try FileStatus.of(folder)?.isFolder == true else { throw failure }
        }
    }

    /// Makes the names in a folder durable.
    private static func reachDisk(_ folder: String) throws(FileError) {
        try FileDescriptor.open(folder, O_RDONLY | O_DIRECTORY).synchronise()
    }

    var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
