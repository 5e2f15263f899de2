import Glibc

/// A small file that is always replaced as a whole: after a crash or a power failure, it contains
/// either the old bytes or the new ones, never a mix of both, and it is never left empty.
public struct DurableFile: Sendable, Hashable {
    /// The default limit on the number of bytes read.
    public static let readingLimit = 16_777_216

    public let path: String

    public init(_ path: String) {
        self.path = path
    }

    /// The bytes; `nil` if the file does not exist.
    ///
    /// Anything but a regular file, such as a pipe, is refused, because reading it could take
    /// forever.
    public func read(limit: Int = readingLimit) throws(FileError) -> [UInt8]? {
        try nilIfMissing { () throws(FileError) in
            // The file is opened without blocking, because a pipe without a writer would block
            // before it could be refused.
            let file = try FileDescriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
            try file.requireRegular()
            return try file.read(limit: limit)
        }
    }

    /// The file name that means standard input or output.
    public static let standardStream = "-"

    /// The bytes of a file that the user specified; `nil` if it does not exist. A pipe is allowed,
    /// and is read until it ends or the task is canceled; "-" is standard input.
    public func readStream(limit: Int = readingLimit) throws(FileError) -> [UInt8]? {
        if path == DurableFile.standardStream {
            return try FileDescriptor.standardInput().read(limit: limit, waiting: true)
        }
        return try nilIfMissing { () throws(FileError) in
            // The file is opened without blocking, because a pipe without a writer would block
            // where cancellation has no effect.
            try FileDescriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
                .read(limit: limit, waiting: true)
        }
    }

    private func nilIfMissing(
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

    /// The file that a link points to; this file itself if it is not a link or does not exist.
    public func resolved() throws(FileError) -> DurableFile {
        guard let target = unsafe realpath(path, nil) else {
            // A missing file has nothing to resolve.
            guard errno == ENOENT else { throw .last(path) }
            return self
        }
        defer { unsafe free(target) }
        return unsafe DurableFile(String(cString: target))
    }

    /// Replaces the file and gives it exactly these permissions.
    ///
    /// The bytes are written to a temporary file next to it, which is then renamed. With `durable`,
    /// the call does not return until both the bytes and the name are on disk. If it throws, the
    /// file is unchanged, unless the error says that it has been replaced: then the rename
    /// succeeded, but could not be synchronized to disk.
    public func write(
        _ bytes: [UInt8], mode: UInt32 = 0o644, durable: Bool = true
    ) throws(FileError) {
        // The name is random, so that two writers never use the same temporary file.
        let temporary = path + "." + String(UInt64.random(in: 0...UInt64.max), radix: 36) + ".new"
        // 0600: no other user can open the file before its final permissions are set.
        let file = try FileDescriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        var isReplaced = false
        do throws(FileError) {
            try file.setPermissions(mode)
            try file.write(bytes)
            // The file is synchronized before the rename; otherwise, the name could refer to an
            // empty file after a power failure.
            if durable { try file.synchronize() }
            guard unsafe rename(temporary, path) == 0 else { throw .last(path) }
            isReplaced = true
            // The name is stored in the folder, which also has to be synchronized.
            if durable { try DurableFile.synchronizeFolder(folder) }
        } catch {
            if !isReplaced { _ = unsafe unlink(temporary) }
            throw FileError(error.kind, error.detail, isReplaced: isReplaced)
        }
    }

    /// Removes the file. A missing file counts as removed.
    public func remove() throws(FileError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .last(path) }
    }

    /// Renames the file within its folder, replacing any file that has the new name.
    public func move(to path: String) throws(FileError) {
        guard unsafe rename(self.path, path) == 0 else { throw .last(self.path) }
        try DurableFile.synchronizeFolder(folder)
    }

    /// The permission bits (mode & 07777), or `nil` if the file does not exist.
    public func permissions() throws(FileError) -> UInt32? {
        try FileStatus.of(path)?.permissions
    }

    /// The identity and state of a file: the stamp changes if the bytes, the permissions, or the
    /// file itself may have changed.
    public struct Stamp: Hashable, Sendable {
        let device: UInt
        let number: UInt
        let size: Int
        /// The time of the last change in seconds, followed by nanoseconds.
        let changed: [Int]
    }

    /// The current stamp. `nil` if the file does not exist.
    public func stamp() throws(FileError) -> Stamp? { try FileStatus.of(path)?.stamp }

    /// The user ID of the file's owner, or `nil` if the file does not exist.
    public func owner() throws(FileError) -> UInt32? {
        try FileStatus.of(path)?.owner
    }

    /// The number of names (hard links) that the file has; 0 if it does not exist.
    public func nameCount() throws(FileError) -> Int { try FileStatus.of(path)?.nameCount ?? 0 }

    /// How a user other than this one and root could access the file: as its owner, or through one
    /// of these permissions. `nil` if no such user could, or if the file does not exist.
    public func exposure(_ permissions: UInt32) throws(FileError) -> FileExposure? {
        guard let status = try FileStatus.of(path) else { return nil }
        if !status.hasTrustedOwner { return .foreign }
        return status.permissions & permissions == 0 ? nil : .permitted(status.permissions)
    }

    /// The permissions of a secret that others can use; `nil` if none can, or if this is no regular
    /// file. The group of a file owned by root may read it, as with credentials from systemd.
    package func permissionsForOthers() throws(FileError) -> UInt32? {
        guard path != DurableFile.standardStream, let status = try FileStatus.of(path),
            status.isRegular
        else { return nil }
        let others: UInt32 = try isOwnedByRoot() ? 0o037 : 0o077
        return status.permissions & others == 0 ? nil : status.permissions
    }

    /// Whether root owns the file while this process runs as another user.
    public func isOwnedByRoot() throws(FileError) -> Bool {
        let owner = try owner()
        return owner == DurableFile.root && geteuid() != DurableFile.root
    }

    /// Creates a folder and any missing parents, and makes their names durable.
    public static func makeFolder(_ path: String, mode: UInt32 = 0o700) throws(FileError) {
        var ends = path.indices.filter { path[$0] == "/" && $0 > path.startIndex }
        ends.append(path.endIndex)
        for end in ends {
            let folder = String(path[..<end])
            // The folder is checked first, because mkdir may report some other error for an
            // existing folder.
            if try FileStatus.of(folder)?.isFolder == true { continue }
            // Another process may create the folder between the two calls, which is fine.
            if unsafe mkdir(folder, mode) == 0 {
                try synchronizeFolder(DurableFile(folder).folder)
                continue
            }
            let failure = FileError.last(folder)
            guard try FileStatus.of(folder)?.isFolder == true else { throw failure }
        }
    }

    /// Returns the names of all entries in a folder, in no particular order.
    public static func names(in folder: String) throws(FileError) -> [String] {
        guard let stream = unsafe opendir(folder) else { throw .last(folder) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            // Swift imports `d_name` as a tuple; this is its size in Glibc.
            let nameCapacity = 256
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                    unsafe name.withMemoryRebound(to: CChar.self, capacity: nameCapacity) {
                        unsafe String(cString: $0)
                    }
                })
        }
        return names.filter { $0 != "." && $0 != ".." }
    }

    /// Makes the names in a folder durable.
    private static func synchronizeFolder(_ folder: String) throws(FileError) {
        try FileDescriptor.open(folder, O_RDONLY | O_DIRECTORY).synchronize()
    }

    var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
