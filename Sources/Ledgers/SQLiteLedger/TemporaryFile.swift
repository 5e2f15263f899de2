internal import Glibc
internal import Ledger

/// A file that is made ready beside its place and then takes it in one step. Whatever happens
/// before that leaves the place as it was.
final class TemporaryFile: Sendable {
    let path: String

    /// An empty file that only its owner may read.
    static func create(beside place: String) throws(LedgerError) -> TemporaryFile {
        var template = Array((place + ".new-XXXXXX").utf8CString)
        let descriptor = unsafe template.withUnsafeMutableBufferPointer { characters -> Int32 in
            guard let start = characters.baseAddress else { return -1 }
            return unsafe mkstemp(start)
        }
        guard descriptor >= 0 else { throw LedgerError(systemError: errno, path: place) }
        close(descriptor)
        let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
        return TemporaryFile(path: String(decoding: bytes, as: UTF8.self))
    }

    private init(path: String) { self.path = path }

    deinit {
        for suffix in ["", "-wal", "-shm", "-journal"] { unsafe unlink(path + suffix) }
    }

    /// Takes the place if it is free.
    func place(at place: String) throws(LedgerError) {
        try reachDisk()
        guard unsafe link(path, place) == 0 else {
            throw errno == EEXIST
                ? LedgerError(
                    .unavailable, "\(place) exists already and is kept; name another file")
                : LedgerError(systemError: errno, path: place)
        }
        try Folder.reachDisk(of: place)
    }

    /// Takes the place of whatever is there.
    func replace(_ place: String) throws(LedgerError) {
        try reachDisk()
        guard unsafe rename(path, place) == 0 else {
            throw LedgerError(systemError: errno, path: place)
        }
        try Folder.reachDisk(of: place)
    }

    private func reachDisk() throws(LedgerError) {
        // A journal would stay behind with a part of the rows.
        guard !Folder.contains(path + "-wal") else {
            throw LedgerError.unavailable(path, "(it could not be completed)")
        }
        try Folder.reachDisk(path)
    }
}

/// Names in folders, and how they become durable.
enum Folder {
    /// Whether something has this name; also where it cannot be told.
    static func contains(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0 || errno != ENOENT
    }

    /// Gives a file another name as well.
    static func link(_ path: String, _ name: String) throws(LedgerError) {
        guard unsafe Glibc.link(path, name) == 0 else {
            throw LedgerError(systemError: errno, path: name)
        }
        try reachDisk(of: name)
    }

    static func remove(_ path: String) throws(LedgerError) {
        guard unsafe unlink(path) == 0 else { throw LedgerError(systemError: errno, path: path) }
        try reachDisk(of: path)
    }

    /// Makes the names in a file's folder durable.
    static func reachDisk(of path: String) throws(LedgerError) {
        guard let slash = path.lastIndex(of: "/") else { return try reachDisk(".") }
        try reachDisk(slash == path.startIndex ? "/" : String(path[..<slash]))
    }

    /// Makes the contents of a file, or the names in a folder, durable.
    static func reachDisk(_ path: String) throws(LedgerError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LedgerError(systemError: errno, path: path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw LedgerError(systemError: errno, path: path) }
    }
}
