/// Why a frame, an answer or a dump was refused: a kind to act on, and words for people.
///
/// Two errors are equal when their kinds are.
public struct Type2Error: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// The frame is no command that tapcard knows.
        case unknownCommand
        /// The frame is too short or too long for its command.
        case wrongFrameLength
        /// The answer is too short or too long for the command.
        case wrongAnswerLength

        /// The dump is longer than any dump is.
        case tooLong
        /// The first line is not the one of a format that tapcard reads.
        case unknownVersion
        case unknownChip
        /// The line is neither a field, a page nor a comment.
        case unknownLine
        /// A field that was there before.
        case duplicateField
        /// A field that belongs further up.
        case misplacedField
        case missingField
        /// A value in a form or of a length that it cannot have.
        case badValue
        /// A UID that is not seven bytes long.
        case wrongUID
        case duplicatePage
        case missingPage
        /// A page that the chip does not have.
        case excessPage
        /// Two parts of the dump that cannot both be true.
        case contradiction
        /// A page that could not be read, where the whole memory is needed.
        case unreadPage
        /// A file that keeps to no grammar that a dump could have.
        case badSyntax
        /// What the dump knows and the format to write it in cannot tell.
        case inexpressible
    }

    public let kind: Kind
    public let detail: String

    public init(_ kind: Kind, _ detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }

    public var description: String {
        detail.isEmpty ? "the bytes are not valid for this tag" : detail
    }
}
