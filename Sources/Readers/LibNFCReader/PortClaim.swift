import Glibc
import OperatingSystem
import Tags

/// The exclusive right, among tapcard processes, to use a serial port. It ends when the last
/// reference to this object is released.
///
/// libnfc marks a port as taken with a flag that the system does not preserve. Without this claim,
/// two programs could open the same port and read each other's responses.
final class PortClaim: Sendable {
    private let node: FileDescriptor

    private init(_ node: consuming FileDescriptor) { self.node = node }

    deinit { node.unlock() }

    static func take(_ path: String) throws(ReaderError) -> PortClaim {
        do {
            // Without O_NONBLOCK, opening a serial port may wait for a modem. Without O_NOCTTY, the
            // port may become this process's controlling terminal.
            let node = try FileDescriptor.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK)
            if try node.lock(waiting: false) { return PortClaim(node) }
        } catch {
            throw ReaderError(.noReader, "the serial port cannot be opened: \(error.detail)")
        }
        throw ReaderError(.busy, "\(path) is in use\(holder(of: path).map { " by \($0)" } ?? "")")
    }

    /// The name, if known, and the ID of the process that holds the lock on this path; `nil` if the
    /// system does not reveal the process.
    private static func holder(of path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0,
            let bytes = try? DurableFile("/proc/locks").read(limit: maximumListSize),
            let process = LockList.holder(
                of: LockList.name(device: status.st_dev, file: status.st_ino),
                in: String(decoding: bytes, as: UTF8.self))
        else { return nil }
        let name = try? DurableFile("/proc/\(process)/comm").read(limit: maximumNameLength)
        // Programs choose their own names, so characters that could move the cursor are removed.
        let program = String(
            String.UnicodeScalarView(
                String(decoding: name ?? [], as: UTF8.self).unicodeScalars.filter {
                    $0.properties.generalCategory != .control
                        && $0.properties.generalCategory != .format
                }))
        return program.isEmpty ? "process \(process)" : "\(program) (process \(process))"
    }

    /// The maximum number of bytes to read from the list of locks.
    private static let maximumListSize = 1_048_576
    private static let maximumNameLength = 64
}

/// The system's list of locks, with lines such as `1: FLOCK  ADVISORY  WRITE 1234 00:18:5 0 EOF`.
package enum LockList {
    /// The name of a file in the list: the two parts of its device number, in hexadecimal, and its
    /// inode number.
    package static func name(device: UInt, file: UInt) -> String {
        // As in sysmacros.h: the minor number has bits on both sides of the major number.
        let major = device >> 8 & 0xFFF
        let minor = device & 0xFF | device >> 12 & 0xF_FF00
        func digits(_ number: UInt) -> String {
            (number < 0x10 ? "0" : "") + String(number, radix: 16)
        }
        return "\(digits(major)):\(digits(minor)):\(file)"
    }

    /// The process that holds a whole-file lock on the file with this name.
    package static func holder(of file: String, in list: String) -> Int32? {
        for line in list.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", fields[5] == file,
                let process = Int32(fields[4]), process > 0
            else { continue }
            return process
        }
        return nil
    }
}
