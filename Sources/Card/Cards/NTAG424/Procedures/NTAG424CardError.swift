package import Tags

/// Why a procedure on a chip failed: a kind that code can act on, and a message for users.
///
/// Errors of the same kind are equal.
package struct NTAG424CardError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    package enum Kind: Sendable, Hashable {
        /// The reader failed, or the card was removed. No write had been sent.
        case reader(ReaderError.Kind)
        /// A write was sent, and nothing confirms that it succeeded. The card has either the old or
        /// the new content; the only way to tell is to read the card again.
        case unknown(ReaderError.Kind)
        /// A write was sent, but the response is a refusal, which anyone could have sent, or has an
        /// incorrect MAC. The only way to tell whether the write took effect is to read the card
        /// again.
        case doubtful(NTAG424Error.Kind)
        /// The card refused a command, or its response was not authenticated. No write had been
        /// sent.
        case chip(NTAG424Error.Kind)
        /// The card does not have the expected UID.
        case otherCard
        /// A key has a version for which the caller supplied no key, so no key was tried.
        case unknownKeys(version: UInt8)
        /// The card is authentic, but its setup was never completed.
        case unfinished
        /// The card is not an NTAG 424.
        case otherChip
        /// The chip no longer accepts this key, because too many wrong keys have been tried.
        case lockedKey(KeyNumber)
        /// The chip's file settings cannot be changed to the ones that a card needs.
        case fixedSettings
        /// This key was not tried, because the card has failed to confirm it too often.
        case notTried(KeyNumber)
    }

    package let kind: Kind
    package let detail: String
    /// Whether a session was open, in which case the card had already proved that it has its key.
    package fileprivate(set) var hadSession = false
    /// The key that was tried but not confirmed. The card counts a wrong key even if its refusal is
    /// lost or garbled.
    package fileprivate(set) var unconfirmedKey: KeyNumber?

    package init(_ kind: Kind, _ detail: String) { (self.kind, self.detail) = (kind, detail) }

    /// This error, with details from the exchange.
    func after(_ talk: NTAG424Talk, hadSession: Bool = false) -> NTAG424CardError {
        var error = self
        error.hadSession = hadSession
        // The conversation is barred while the chip has not confirmed the key.
        error.unconfirmedKey = talk.conversation.isBarred ? talk.authenticating : nil
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
            "the card's key \(number.rawValue) has version \(version), which is unknown on this "
                + "machine")
    }

    static func notTried(_ number: KeyNumber) -> NTAG424CardError {
        NTAG424CardError(
            .notTried(number),
            "the card failed to confirm key \(number.rawValue) too often during this tap")
    }

    static let otherCard = NTAG424CardError(
        .otherCard, "the authenticated UID of the card differs from the UID that was read")
    static let unfinished = NTAG424CardError(.unfinished, "the card's setup was not completed")
    static let fixedSettings = NTAG424CardError(
        .fixedSettings, "the settings of the chip's files cannot be changed")
    package static let otherChip = NTAG424CardError(.otherChip, "the card is not an NTAG 424")
}
