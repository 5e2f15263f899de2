/// Why a reader failed: a kind that code can act on, and a message for users.
///
/// Errors of the same kind are equal.
public struct ReaderError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// The reader does not exist or cannot be opened.
        case noReader
        /// The reader is present, but another program is using it.
        case busy
        /// The reader was present but no longer responds.
        case readerLost
        /// No tag appeared within the allowed time.
        case noTag
        /// More than one tag is in the field.
        case severalTags
        /// The tag was removed from the field, or has not been selected.
        case tagLost
        /// The tag responded with this NAK.
        case refused(UInt8)
        /// A response had an incorrect CRC, length, or format.
        case garbled
        /// No response arrived in time, although the tag may still be there.
        case timedOut
        /// This reader cannot send this kind of frame. Nothing was sent.
        case unsupported
        /// The waiting task was canceled.
        case cancelled
    }

    /// The kind of failure, for code that handles the error.
    public let kind: Kind
    /// A message that describes the failure to the user.
    public let detail: String

    /// Creates an error of this kind; `detail` describes the failure to the user.
    public init(_ kind: Kind, _ detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }

    public var description: String {
        guard detail.isEmpty else { return detail }
        return switch kind {
        case .noReader: "no usable NFC reader was found"
        case .busy: "the reader is in use"
        case .readerLost: "the reader stopped responding"
        case .noTag: "no tag was found in time"
        case .severalTags: "there is more than one tag on the reader"
        case .tagLost: "the tag was removed from the reader"
        case .refused: "the tag refused the command"
        case .garbled: "the response was damaged in transmission"
        case .timedOut: "there was no response in time"
        case .unsupported: "the reader cannot send this command"
        case .cancelled: "stopped"
        }
    }
}
