import Glibc
import Ledger

/// A file that is made ready beside its place and then takes it in one step. Whatever happens
/// before that leaves the place as it was.
final class TemporaryFile: Sendable {
    private static let mark = ".new-"
    private static let suffixes = ["", "-wal", "-shm", "-journal"]

    let path: String
    /// Locked for as long as somebody works on the file: one without a lock is abandoned.
    private let descriptor: Int32

    /// An empty file that only its owner may read.
    static func create(beside place: String) throws(LedgerError) -> TemporaryFile {
        var template = Array((place + mark + "XXXXXX").utf8CString)
        let descriptor = unsafe template.withUnsafeMutableBufferPointer { characters -> Int32 in
            guard let start = characters.baseAddress else { return -1 }
            return unsafe mkstemp(start)
        }
        guard descriptor >= 0 else { throw LedgerError(systemError: errno, path: place) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        flock(descriptor, LOCK_EX | LOCK_NB)
        let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
        return TemporaryFile(String(decoding: bytes, as: UTF8.self), descriptor)
    }

    /// Removes what killed programs have left beside a place.
    static func removeAbandoned(beside place: String) {
        let (folder, name) = Folder.split(place)
        let begin = name + mark
        let endLength = 6
        let drafts = Set(
            Folder.names(in: folder).filter { $0.hasPrefix(begin) }.map {
                String($0.prefix(begin.count + endLength))
            })
        for draft in drafts {
            let path = "\(folder)/\(draft)"
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW)
            // Of one that is gone the journal may be left.
            guard descriptor >= 0 || errno == ENOENT else { continue }
            if descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                close(descriptor)
                continue
            }
            _ = TemporaryFile(path, descriptor)
        }
    }

    private init(_ path: String, _ descriptor: Int32) {
        (self.path, self.descriptor) = (path, descriptor)
    }

    deinit {
        for suffix in TemporaryFile.suffixes { unsafe unlink(path + suffix) }
        if descriptor >= 0 { close(descriptor) }
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
