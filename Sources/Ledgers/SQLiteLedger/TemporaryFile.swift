import Glibc
import Ledger

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
