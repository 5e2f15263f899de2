/// Why a frame, a response, or a dump was refused: a kind that code can act on, and a message for
/// users.
///
/// Errors of the same kind are equal.
public struct Type2Error: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// tapcard does not support the command in the frame.
        case unknownCommand
        /// The frame is too short or too long for its command.
        case wrongFrameLength
        /// The response is too short or too long for the command.
        case wrongAnswerLength

        /// The dump is longer than any valid dump.
        case tooLong
        /// The first line does not belong to any format that tapcard reads.
        case unknownVersion
        /// tapcard does not support this chip.
        case unknownChip
        /// The line is not a field, a page, or a comment.
        case unknownLine
        /// A field appears twice.
        case duplicateField
        /// A field comes too late in the dump.
        case misplacedField
        /// The dump lacks a field.
        case missingField
        /// A value has an invalid form or length.
        case badValue
        /// The UID is not seven bytes long.
        case wrongUID
        /// A page appears twice in the dump.
        case duplicatePage
        /// A page is missing from the dump.
        case missingPage
        /// The dump has a page that the chip does not have.
        case excessPage
        /// Two parts of the dump contradict each other.
        case contradiction
        /// A page could not be read, although the whole memory is needed.
        case unreadPage
        /// The syntax of the file does not match any dump format.
        case badSyntax
        /// The dump has data that the requested format cannot represent.
        case inexpressible
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
        detail.isEmpty ? "the bytes are not valid for this tag" : detail
    }
}
