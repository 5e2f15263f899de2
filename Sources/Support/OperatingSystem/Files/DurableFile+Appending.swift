import Glibc

/// The failure to append to a file.
public struct AppendError: Error, Sendable {
    public let cause: FileError
    /// Whether the file certainly is as it was before.
    public let isUndone: Bool
}

extension DurableFile {
    /// Cuts the file to `length`, appends bytes, and returns when they are on the disk. The file
    /// must exist.
    public func append(_ bytes: [UInt8], at length: Int) throws(AppendError) {
        let file: FileDescriptor
        do throws(FileError) {
            file = try FileDescriptor.open(path, O_WRONLY | O_NOCTTY)
        } catch {
            throw AppendError(cause: error, isUndone: true)
        }
        do throws(FileError) {
            try file.requireRegular()
            // Cuts off the rest of an earlier append that was interrupted.
            try file.truncate(to: length)
            try file.seekToEnd()
            try file.write(bytes)
            try file.synchronise()
        } catch {
            let isUndone: Bool
            do throws(FileError) {
                try file.truncate(to: length)
                try file.synchronise()
                isUndone = true
            } catch {
                // The bytes may be there after the next start, or not.
                isUndone = false
            }
            throw AppendError(cause: error, isUndone: isUndone)
        }
    }
}
