import Glibc

/// A failure to append to a file.
public struct AppendError: Error, Sendable {
    public let cause: FileError
    /// Whether the file is certain to be unchanged.
    public let isUndone: Bool
}

extension DurableFile {
    /// Truncates the file to `length`, appends bytes, and returns once they are on disk. The file
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
            // This removes what an interrupted append may have left at the end.
            try file.truncate(to: length)
            try file.seekToEnd()
            try file.write(bytes)
            try file.synchronize()
        } catch {
            let isUndone: Bool
            do throws(FileError) {
                try file.truncate(to: length)
                try file.synchronize()
                isUndone = true
            } catch {
                // The bytes may or may not be there after a restart.
                isUndone = false
            }
            throw AppendError(cause: error, isUndone: isUndone)
        }
    }
}
