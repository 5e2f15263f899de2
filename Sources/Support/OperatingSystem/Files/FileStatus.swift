import Glibc

/// The system's information about a file, obtained without opening it.
struct FileStatus {
    let permissions: UInt32
    let owner: UInt32
    let isFolder: Bool
    let isRegular: Bool
    /// The number of names (hard links) that the file has.
    let nameCount: Int
    let stamp: DurableFile.Stamp

    /// The status for a path. `nil` if nothing exists there.
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
            isRegular: status.st_mode & S_IFMT == S_IFREG, nameCount: Int(status.st_nlink),
            stamp: DurableFile.Stamp(
                device: status.st_dev, number: status.st_ino, size: status.st_size,
                // This is not the modification time, because programs can set that.
                changed: [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]))
    }

    /// Whether the file belongs to this user or to root. An owner who is unknown in this namespace,
    /// as on a volume from a container's host, also counts.
    var hasTrustedOwner: Bool {
        [DurableFile.root, DurableFile.unmapped, geteuid()].contains(owner)
    }

    /// Throws an error if the path contains a dangling link. The file may exist on a disk that is
    /// not mounted, and it would be lost if a new one took its place.
    static func requireNoDanglingLink(in path: String) throws(FileError) {
        var part = path
        var status = stat()
        // This goes up to the nearest part of the path that exists, because any folder on the path
        // may be the link.
        while unsafe lstat(part, &status) != 0 {
            guard let slash = part.lastIndex(of: "/"), slash > part.startIndex else { return }
            part = String(part[..<slash])
        }
        guard status.st_mode & S_IFMT == S_IFLNK, unsafe stat(part, &status) != 0 else { return }
        throw FileError(.danglingLink, "\(part) is a link to a missing file")
    }
}
