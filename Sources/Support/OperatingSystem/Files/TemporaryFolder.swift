import Glibc

/// A private folder for one temporary file. Both are removed when the last reference is released.
/// Other users cannot access the folder.
public final class TemporaryFolder: Sendable {
    private static let chunkSize = 65_536

    private let folder: String

    /// The path of the file, which does not exist at first.
    public var file: String { folder + "/file" }

    /// Creates the folder in TMPDIR, or in the system's folder for large temporary files.
    public init() throws(FileError) {
        let base = unsafe getenv("TMPDIR").flatMap { unsafe String(validatingCString: $0) }
        var template = Array(((base ?? "/var/tmp") + "/tapcard-XXXXXX").utf8CString)
        // mkdtemp gives only the owner access to the new folder.
        let isMade = unsafe template.withUnsafeMutableBufferPointer { characters in
            unsafe characters.baseAddress.flatMap { unsafe mkdtemp($0) } != nil
        }
        guard isMade else { throw .last(base ?? "/var/tmp") }
        // The last character is the NUL that ends the C string.
        let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
        folder = String(decoding: bytes, as: UTF8.self)
    }

    deinit {
        // A database leaves these files next to its own.
        for suffix in ["", "-wal", "-shm", "-journal"] { unsafe unlink(file + suffix) }
        unsafe rmdir(folder)
    }

    /// Copies standard input into the file.
    public func fillFromStandardInput() throws(FileError) {
        let source = try FileDescriptor.standardInput()
        let target = try FileDescriptor.open(file, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        while true {
            let chunk = try source.readSome(TemporaryFolder.chunkSize, waiting: true)
            if chunk.isEmpty { return }
            try target.write(chunk)
        }
    }

    /// Passes the file's content to the body chunk by chunk, until the body returns false.
    public func read(_ body: ([UInt8]) -> Bool) throws(FileError) {
        let source = try FileDescriptor.open(file, O_RDONLY)
        while true {
            let chunk = try source.readSome(TemporaryFolder.chunkSize)
            if chunk.isEmpty || !body(chunk) { return }
        }
    }
}
