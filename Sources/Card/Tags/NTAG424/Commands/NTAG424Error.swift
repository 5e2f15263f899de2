import TextCodecs

/// Why a command to the chip failed: a kind that code can act on, a message for users, and the step
/// to take next.
package struct NTAG424Error: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    package enum Kind: Sendable, Hashable {
        case refused(NTAG424Refusal)
        /// The response does not have the MAC that only this card can compute.
        case unauthenticated
        /// The card cannot prove that it has the key: it is a different card, or a copy.
        case impostor
        /// The chip has been permanently switched to its other protocol (LRP), which tapcard does
        /// not support. No key was tried.
        case lrpMode
        /// A response has the wrong length or format.
        case malformed
        /// The session has ended. The card has to be authenticated again.
        case sessionEnded
        /// This card has already refused a key. Another attempt could lock the key.
        case keyAlreadyRefused
        /// The command does not fit in one APDU.
        case tooLong
    }

    package let kind: Kind

    package init(_ kind: Kind) { self.kind = kind }

    /// A human-readable description. None of these errors changes the balance of the card.
    package var description: String {
        switch kind {
        case .refused(let refusal): NTAG424Error.explanation(refusal)
        case .unauthenticated: "the response was not authenticated, so nothing in it is trusted"
        case .impostor: "the card failed to prove its identity"
        case .lrpMode:
            "the chip is in LRP mode, which is not supported"
        case .malformed: "the card's response is malformed"
        case .sessionEnded: "the session with the card has ended"
        case .keyAlreadyRefused: "the card refused a key earlier in this tap"
        case .tooLong: "the command is too long for this card"
        }
    }

    /// What the user should do next.
    package var nextStep: String {
        switch kind {
        case .refused(let refusal): NTAG424Error.advice(refusal)
        case .unauthenticated, .malformed, .sessionEnded:
            "Hold the card still and tap it again."
        case .impostor: "Keep the card, and check it in the ledger. It may be a copy."
        case .lrpMode: "Use another chip. LRP mode cannot be undone."
        case .keyAlreadyRefused:
            "Remove the card. Compare its key versions (`tapcard tag info`) before the next tap."
        case .tooLong: "This is a bug in tapcard. Please report it."
        }
    }

    private static func explanation(_ refusal: NTAG424Refusal) -> String {
        switch refusal {
        case .unknownCommand: "the card does not recognize the command, or the session has ended"
        case .integrity: "the card found the command damaged or repeated and did nothing"
        case .noSuchKey: "the card does not have this key, or its application is not selected"
        case .wrongLength: "the card rejected the command's length"
        case .notAllowed: "the key in use does not permit this"
        case .wrongParameter: "the card rejected a value in the command"
        case .authenticationDelayed: "the card is delaying authentication after many wrong keys"
        case .authenticationFailed: "the card rejected the key and counted the attempt"
        case .outsideFile: "the command goes past the end of the file"
        case .aborted: "the card was waiting for the rest of an earlier command"
        case .memory: "the card could not write to its memory"
        case .noSuchFile: "the card has no such file or application"
        case .other(let status):
            // Shown as digits, so that the user can report it.
            "the card returned status "
                + Hexadecimal.encode([
                    UInt8(status.rawValue >> 8), UInt8(truncatingIfNeeded: status.rawValue),
                ])
        }
    }

    private static func advice(_ refusal: NTAG424Refusal) -> String {
        switch refusal {
        case .integrity, .aborted, .unknownCommand: "Tap the card again."
        case .authenticationDelayed:
            "Hold the card on the reader until an attempt is accepted. Do not try other keys."
        case .authenticationFailed, .noSuchKey:
            "Do not try other keys: failed attempts are counted and can disable a key. "
                + "Compare the card's key versions with the ledger."
        case .notAllowed:
            "Check the access rights of the card's files and which key this machine has."
        case .memory: "The card is worn out. Use another one."
        case .noSuchFile: "The card is not an NTAG 424. Use one that is."
        case .wrongLength, .wrongParameter, .outsideFile, .other:
            "Tap the card again. If it is refused again, report the error message."
        }
    }
}
