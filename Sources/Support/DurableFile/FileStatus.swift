import Glibc

/// What the system knows about a file without opening it.
struct FileStatus {
    let permissions: UInt32
    let owner: UInt32
    let isFolder: Bool
    let stamp: DurableFile.Stamp

    /// Nil when there is no such file.
    static func of(_ path: String) throws(FileError) -> FileStatus? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw .last(path)
        }
        return FileStatus(
            permissions: status.st_mode & 0o7777, owner: status.st_uid,
            isFolder: status.st_mode & S_IFMT == S_IFDIR,
            stamp: DurableFile.Stamp(
                device: status.st_dev, number: status.st_ino, size: status.st_size,
                changed: [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]))
    }
}
