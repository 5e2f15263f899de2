import Glibc
import Ledger
import OperatingSystem

/// A file that is prepared next to its destination and then replaces it in one step. If the
/// preparation fails, the destination is left unchanged.
final class TemporaryFile: Sendable {
    static let mark = ".new-"
    private static let suffixes = ["", "-wal", "-shm", "-journal"]

    let path: String
    /// The open file, locked while it is being prepared; a file without a lock is abandoned.
    private let descriptor: Int32

    /// Creates an empty file that only its owner may read.
    static func create(beside place: String) throws(LedgerError) -> TemporaryFile {
        var template = Array((place + mark + "XXXXXX").utf8CString)
        let descriptor = unsafe template.withUnsafeMutableBufferPointer { characters -> Int32 in
            guard let start = characters.baseAddress else { return -1 }
            return unsafe mkstemp(start)
        }
        guard descriptor >= 0 else { throw LedgerError(systemError: errno, path: place) }
        // A child process that inherited the descriptor would keep the lock.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        flock(descriptor, LOCK_EX | LOCK_NB)
        let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
        return TemporaryFile(String(decoding: bytes, as: UTF8.self), descriptor)
    }

    /// Removes the files that killed programs left next to a destination.
    static func removeAbandoned(beside place: String) {
        let (folder, name) = LedgerFolder.split(place)
        let prefix = name + mark
        // The six characters that `mkstemp` substitutes for the Xs.
        let suffixLength = 6
        let drafts = Set(
            ((try? DurableFile.names(in: folder)) ?? []).filter { $0.hasPrefix(prefix) }.map {
                String($0.prefix(prefix.count + suffixLength))
            })
        for draft in drafts {
            let path = "\(folder)/\(draft)"
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW)
            // The journal of a removed file may still exist.
            guard descriptor >= 0 || errno == ENOENT else { continue }
            if descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                close(descriptor)
                continue
            }
            // The deinitializer removes the draft and its journals.
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

    /// Moves the file to its destination if that name is free.
    func place(at place: String) throws(LedgerError) {
        try makeDurable()
        // Linking fails if the name is taken; renaming would replace that file.
        guard unsafe link(path, place) == 0 else {
            throw errno == EEXIST
                ? LedgerError(
                    .unavailable, "\(place) already exists and was kept; choose another name")
                : LedgerError(systemError: errno, path: place)
        }
        unsafe unlink(path)
        try LedgerFolder.makeNamesDurable(of: place)
    }

    /// Replaces the file at the destination.
    func replace(_ place: String) throws(LedgerError) {
        try makeDurable()
        guard unsafe rename(path, place) == 0 else {
            throw LedgerError(systemError: errno, path: place)
        }
        try LedgerFolder.makeNamesDurable(of: place)
    }

    private func makeDurable() throws(LedgerError) {
        // The journal is not moved along with the file, so the rows in it would be lost.
        guard !LedgerFolder.contains(path + "-wal") else {
            throw LedgerError.unavailable(path, "(the file could not be completed)")
        }
        try LedgerFolder.makeDurable(path)
    }
}
