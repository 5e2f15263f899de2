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
            guard errno == ENOENT else { throw .last(path) }
            try requireNoDanglingLink(in: path)
            return nil
        }
        return FileStatus(
            permissions: status.st_mode & 0o7777, owner: status.st_uid,
            isFolder: status.st_mode & S_IFMT == S_IFDIR,
            stamp: DurableFile.Stamp(
                device: status.st_dev, number: status.st_ino, size: status.st_size,
                changed: [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]))
    }

    /// A file behind a link that leads nowhere is not a file that was never there: the disk that it
    /// is on may not be mounted. To begin anew in its place would lose it.
    static func requireNoDanglingLink(in path: String) throws(FileError) {
        var place = path
        var status = stat()
        while unsafe lstat(place, &status) != 0 {
            guard let slash = place.lastIndex(of: "/"), slash > place.startIndex else { return }
            place = String(place[..<slash])
        }
        guard status.st_mode & S_IFMT == S_IFLNK, unsafe stat(place, &status) != 0 else { return }
        throw FileError(.danglingLink, "\(place): a link that leads nowhere")
    }
}
