import Glibc

/// A folder for one file that is only passed on. It goes, with the file, when nobody holds it any
/// more; others cannot look into it.
public final class TemporaryFolder: Sendable {
    private static let chunkSize = 65_536

    private let folder: String

    /// The file's path; there is no file yet.
    public var file: String { folder + "/file" }

    /// Below TMPDIR, or where large files that may go are kept.
    public init() throws(FileError) {
        let base = unsafe getenv("TMPDIR").flatMap { unsafe String(validatingCString: $0) }
        var template = Array(((base ?? "/var/tmp") + "/tapcard-XXXXXX").utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { characters in
            unsafe characters.baseAddress.flatMap { unsafe mkdtemp($0) } != nil
        }
        guard isMade else { throw .last(base ?? "/var/tmp") }
        let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
        folder = String(decoding: bytes, as: UTF8.self)
    }

    deinit {
        // A database leaves these beside its file.
        for suffix in ["", "-wal", "-shm", "-journal"] { unsafe unlink(file + suffix) }
        unsafe rmdir(folder)
    }

    /// Makes the file of all that comes on standard input.
    public func fillFromStandardInput() throws(FileError) {
        let source = try FileDescriptor.standardInput()
        let target = try FileDescriptor.open(file, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        while true {
            let chunk = try source.readSome(TemporaryFolder.chunkSize, waiting: true)
            if chunk.isEmpty { return }
            try target.write(chunk)
        }
    }

    /// Hands out the file piece by piece, until the body wants no more.
    public func read(_ body: ([UInt8]) -> Bool) throws(FileError) {
        let source = try FileDescriptor.open(file, O_RDONLY)
        while true {
            let chunk = try source.readSome(TemporaryFolder.chunkSize)
            if chunk.isEmpty || !body(chunk) { return }
        }
    }
}
