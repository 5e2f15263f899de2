package import Tags

/// The reason why a procedure with a chip ended early: a kind to act on, and words for people.
///
/// Two errors are equal when their kinds are.
package struct NTAG424CardError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds that a caller can act on.
    package enum Kind: Sendable, Hashable {
        /// The reader failed, or the card left. Nothing was on its way to be written.
        case reader(ReaderError.Kind)
        /// A write was on its way, and its success is not proved. The card holds the old or the new
        /// content: a fresh look decides.
        case unknown(ReaderError.Kind)
        /// A write was on its way, and the card's answer does not prove it: a refusal, which
        /// anybody can have sent, or no true code. As where the success is not proved, a fresh look
        /// decides.
        case doubtful(NTAG424Error.Kind)
        /// The card refused, or has not proved what it said. Nothing was on its way to be written.
        case chip(NTAG424Error.Kind)
        /// The card has another number than the one looked for.
        case otherCard
        /// A key has a version that was not handed in, so none was tried.
        case unknownKeys(version: UInt8)
        /// The card proves that it is not as it was to be made.
        case unfinished
        /// The card is not an NTAG 424.
        case otherChip
        /// The chip does not accept this key any longer: somebody has tried too many wrong ones.
        case deadKey(KeyNumber)
        /// The settings of its files cannot be changed to those of a card.
        case fixedSettings
        /// This key was not sent: the card has left it unconfirmed too often.
        case spared(KeyNumber)
    }

    package let kind: Kind
    package let detail: String
    /// Whether the card had proved its key before.
    package fileprivate(set) var isOfSession = false
    /// The key that was sent and that the card has not confirmed: it counts a wrong one also where
    /// its refusal is lost, or comes as something else.
    package fileprivate(set) var spentKey: KeyNumber?

    package init(_ kind: Kind, _ detail: String) { (self.kind, self.detail) = (kind, detail) }

    /// The error with what the conversation was like before it.
    func after(_ talk: NTAG424Talk, isOfSession: Bool = false) -> NTAG424CardError {
        var error = self
        error.isOfSession = isOfSession
        error.spentKey = talk.conversation.isBarred ? talk.proving : nil
        return error
    }

    package static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    package var description: String { detail }

    static func chip(_ error: NTAG424Error) -> NTAG424CardError {
        NTAG424CardError(.chip(error.kind), error.description)
    }

    static func unknownKeys(_ number: KeyNumber, version: UInt8) -> NTAG424CardError {
        NTAG424CardError(
            .unknownKeys(version: version),
            "the card's key \(number.rawValue) has version \(version), which is unknown at this "
                + "station")
    }

    static func spared(_ number: KeyNumber) -> NTAG424CardError {
        NTAG424CardError(
            .spared(number),
            "the card has left key \(number.rawValue) unconfirmed too often in this tap")
    }

    static let otherCard = NTAG424CardError(
        .otherCard, "the number that the card proved differs from the number that was read")
    static let unfinished = NTAG424CardError(.unfinished, "the card's setup was not completed")
    static let fixedSettings = NTAG424CardError(
        .fixedSettings, "the settings of the chip's files cannot be changed")
    package static let otherChip = NTAG424CardError(.otherChip, "the card is not an NTAG 424")
}
