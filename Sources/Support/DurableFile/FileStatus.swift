import Glibc

/// What the system knows about a file without opening it.
struct FileStatus {
    let permissions: UInt32
    let owner: UInt32
    let isFolder: Bool

    /// Nil when there is no such file.
    static func of(_ path: String) throws(FileError) -> FileStatus? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw .last(path)
        }
        return FileStatus(
            permissions: status.st_mode & 0o7777, owner: status.st_uid,
            isFolder: status.st_mode & S_IFMT == S_IFDIR)
    }
}
