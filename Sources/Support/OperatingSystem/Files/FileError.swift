import Glibc

/// Why a file could not be read or written: a kind that code can act on, and a message that names
/// the path.
///
/// Errors of the same kind are equal.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// The file, or a folder on the path to it, does not exist.
        case notFound
        /// The user does not have permission.
        case notPermitted
        /// The disk or the user's quota is full.
        case noSpace
        /// The file is larger than the caller or the file system allows.
        case tooLarge
        /// A folder was found instead of a file.
        case isFolder
        /// A pipe, device, or socket was found instead of a file.
        case notRegular
        /// A link on the path refers to a missing file.
        case danglingLink
        /// The task was canceled while it was waiting for a pipe.
        case cancelled
        /// Any other system error number.
        case other(Int32)
    }

    public let kind: Kind
    public let detail: String
    /// Whether the file has its new content although the write failed: a power failure could still
    /// bring the old content back.
    public let isReplaced: Bool

    init(_ kind: Kind, _ detail: String, isReplaced: Bool = false) {
        self.kind = kind
        self.detail = detail
        self.isReplaced = isReplaced
    }

    /// The error from the last failed call. Must be created before another call can change `errno`.
    static func last(_ path: String, number: Int32 = errno) -> FileError {
        let kind: Kind =
            switch number {
            case ENOENT: .notFound
            case EACCES, EPERM, EROFS: .notPermitted
            case ENOSPC, EDQUOT: .noSpace
            case EFBIG: .tooLarge
            case EISDIR: .isFolder
            // ENXIO is the error for a socket, and for a missing device.
            case ENXIO: .notRegular
            default: .other(number)
            }
        return FileError(kind, "\(path): \(unsafe String(cString: strerror(number)))")
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }

    public var description: String { detail }
}
