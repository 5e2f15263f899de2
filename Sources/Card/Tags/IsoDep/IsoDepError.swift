/// Why an exchange of blocks failed: a kind that code can act on, and a message for users.
///
/// Errors of the same kind are equal.
package struct IsoDepError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    package enum Kind: Sendable, Hashable {
        /// No readable block arrived, even after it was requested again.
        case silent
        /// A readable block arrived that is not allowed at this point. Nothing after it can be
        /// trusted.
        case outOfSequence
        /// The card asked for more time than it is allowed.
        case requestedTooMuchTime
        /// The command is empty or too long for a card, or the response is too long.
        case wrongLength
        /// The card's answer to select (ATS) is invalid.
        case unsupportedProtocol
    }

    package let kind: Kind
    package let detail: String

    package init(_ kind: Kind, _ detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    package static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }

    package var description: String {
        guard detail.isEmpty else { return detail }
        return switch kind {
        case .silent: "the card stopped responding; hold it still"
        case .outOfSequence: "the card sent a block out of sequence; hold it on the reader again"
        case .requestedTooMuchTime:
            "the card asked for more time than is allowed; hold it on the reader again"
        case .wrongLength: "the command or the response has a length that no card supports"
        case .unsupportedProtocol: "the card reports no usable protocol; use another card"
        }
    }
}
