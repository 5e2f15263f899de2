import Glibc

/// Why a file could not be read or written: a kind to act on, and words that name the path.
///
/// Two errors are equal when their kinds are.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// The file, or a folder on the way to it, is not there.
        case notFound
        /// The user may not do this here.
        case notPermitted
        /// The disk or the user's share of it is full.
        case noSpace
        /// The file is larger than the caller or the file system takes.
        case tooLarge
        /// There is a folder where a file was expected.
        case isFolder
        /// There is a pipe, a device or a socket where a file was expected.
        case notRegular
        /// A link on the way leads nowhere.
        case danglingLink
        /// The task was cancelled while a pipe was waited for.
        case cancelled
        /// Any other error number of the system.
        case other(Int32)
    }

    public let kind: Kind
    public let detail: String

    init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    /// What the last failed call said. To be made before anything else can change `errno`.
    static func last(_ path: String, number: Int32 = errno) -> FileError {
        let kind: Kind =
            switch number {
            case ENOENT: .notFound
            case EACCES, EPERM, EROFS: .notPermitted
            case ENOSPC, EDQUOT: .noSpace
            case EFBIG: .tooLarge
            case EISDIR: .isFolder
            // Said of a socket, and of a device that is not there.
            case ENXIO: .notRegular
            default: .other(number)
            }
        return FileError(kind, "\(path): \(unsafe String(cString: strerror(number)))")
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }

    public var description: String { detail }
}
