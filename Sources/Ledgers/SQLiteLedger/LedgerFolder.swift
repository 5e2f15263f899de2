import Glibc
import Ledger

/// Operations on the names of files in folders, including making those names durable.
enum LedgerFolder {
    /// Whether a file has this name; also true if that cannot be determined.
    static func contains(_ path: String) -> Bool {
        // Any other error, such as a lack of permission, does not prove that there is no file.
        unsafe access(path, F_OK) == 0 || errno != ENOENT
    }

    /// Refuses a path that is not a regular file, because opening a pipe for reading would wait
    /// forever.
    static func requireFile(_ path: String) throws(LedgerError) {
        var status = stat()
        // If there is no file, the attempt to open it reports that.
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        throw LedgerError(.unavailable, "\(path) is not a regular file")
    }

    /// The number of names (hard links) of a file; 0 for a missing file.
    static func nameCount(of path: String) -> Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_nlink) : 0
    }

    /// Whether two names belong to one file.
    static func areSame(_ path: String, _ other: String) -> Bool {
        var (one, two) = (stat(), stat())
        guard unsafe stat(path, &one) == 0, unsafe stat(other, &two) == 0 else { return false }
        return one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }

    /// The size of a file in bytes; 0 for a missing file.
    static func size(of path: String) -> Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The file that a symbolic link points to; any other path unchanged.
    static func followingLinks(_ path: String) -> String {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK,
            let target = unsafe realpath(path, nil)
        else { return path }
        defer { unsafe free(target) }
        return unsafe String(cString: target)
    }

    /// The folder of a path and the name in it.
    static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (folder, String(path[path.index(after: slash)...]))
    }

    /// Gives a file a second name.
    static func link(_ path: String, _ name: String) throws(LedgerError) {
        guard unsafe Glibc.link(path, name) == 0 else {
            throw LedgerError(systemError: errno, path: name)
        }
        // A name is durable only once its folder has been synced.
        try makeNamesDurable(of: name)
    }

    /// Renames a file in one step.
    static func rename(_ path: String, _ name: String) throws(LedgerError) {
        guard unsafe Glibc.rename(path, name) == 0 else {
            throw LedgerError(systemError: errno, path: path)
        }
        try makeNamesDurable(of: name)
    }

    static func isLink(_ path: String) -> Bool {
        var status = stat()
        // Unlike `stat`, `lstat` does not follow the link.
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    static func remove(_ path: String) throws(LedgerError) {
        guard unsafe unlink(path) == 0 else { throw LedgerError(systemError: errno, path: path) }
        try makeNamesDurable(of: path)
    }

    /// Makes the names in a file's folder durable.
    static func makeNamesDurable(of path: String) throws(LedgerError) {
        try makeDurable(split(path).folder)
    }

    /// Makes the contents of a file, or the names in a folder, durable.
    static func makeDurable(_ path: String) throws(LedgerError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LedgerError(systemError: errno, path: path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw LedgerError(systemError: errno, path: path) }
    }
}

/// The properties of a file that show whether it has been written to.
struct FileState: Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let modified: [Int]

    /// Reads the file's state; nil if the file is missing, or if its last rows may still be in a
    /// journal next to it.
    init?(withoutJournal path: String) {
        var status = stat()
        guard !LedgerFolder.contains(path + "-wal"), unsafe stat(path, &status) == 0 else {
            return nil
        }
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
        size = Int64(status.st_size)
        modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }
}
