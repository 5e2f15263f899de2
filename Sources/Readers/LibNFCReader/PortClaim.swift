import DurableFile
import Glibc
import TagReading

/// The right to be the only tapcard on a serial reader, held until the last reference goes.
///
/// libnfc marks a port as taken with a flag that the system does not keep, so that two programs
/// open one port and read each other's answers.
final class PortClaim: Sendable {
    private let node: FileDescriptor

    private init(_ node: consuming FileDescriptor) { self.node = node }

    deinit { node.unlock() }

    static func take(_ path: String) throws(ReaderError) -> PortClaim {
        do {
            let node = try FileDescriptor.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK)
            if try node.lock(waiting: false) { return PortClaim(node) }
        } catch {
            throw ReaderError(.noReader, "cannot be opened: \(error.detail)")
        }
        throw ReaderError(.busy, "\(path) is in use\(holder(of: path).map { " by \($0)" } ?? "")")
    }

    /// Who holds the lock of this path, as far as the system tells.
    private static func holder(of path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0,
            let bytes = try? DurableFile("/proc/locks").read(limit: longestList),
            let process = LockList.holder(
                of: status.st_ino, in: String(decoding: bytes, as: UTF8.self))
        else { return nil }
        let name = try? DurableFile("/proc/\(process)/comm").read(limit: longestName)
        let words = String(decoding: name ?? [], as: UTF8.self)
            .prefix { $0 != "\n" }
        return words.isEmpty ? "process \(process)" : "\(words) (process \(process))"
    }

    /// In bytes.
    private static let longestList = 1_048_576
    private static let longestName = 64
}

/// The system's list of locks: `1: FLOCK  ADVISORY  WRITE 1234 00:18:5 0 EOF`.
package enum LockList {
    /// The process that holds a whole-file lock on the file of this number.
    package static func holder(of file: UInt, in list: String) -> Int32? {
        for line in list.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] == "FLOCK",
                words[5].split(separator: ":").last.flatMap({ UInt($0) }) == file,
                let process = Int32(words[4]), process > 0
            else { continue }
            return process
        }
        return nil
    }
}
