import TextCodecs

/// The reason why a command to the chip failed: a kind to act on, words for people, and the next
/// step.
package struct NTAG424Error: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    package enum Kind: Sendable, Hashable {
        case refused(NTAG424Refusal)
        /// The answer lacks the code that only this card can make.
        case unproved
        /// The card cannot prove that it has the key: it is another card, or a copy.
        case impostor
        /// The chip was switched for good to its other protocol (LRP), which tapcard does not have.
        /// No key was tried.
        case otherProtocol
        /// An answer with the wrong length or form.
        case malformed
        /// The session has ended. Only a new authentication helps.
        case sessionOver
        /// This card has already refused a key. Another try could kill the key.
        case keyRefusedBefore
        /// The command is too long for one APDU.
        case tooLong
    }

    package let kind: Kind

    package init(_ kind: Kind) { self.kind = kind }

    /// The event in words. None of these changes the card's money.
    package var description: String {
        switch kind {
        case .refused(let refusal): NTAG424Error.words(refusal)
        case .unproved: "the card's answer is not proved; nothing that it says is believed"
        case .impostor: "the card cannot prove who it is"
        case .otherProtocol:
            "the NTAG 424 uses its other protocol (LRP), which tapcard does not know"
        case .malformed: "the card's answer has an invalid form"
        case .sessionOver: "the session with the card is over"
        case .keyRefusedBefore: "the card has refused a key in this tap"
        case .tooLong: "the command is too long for this card"
        }
    }

    /// The next step.
    package var nextStep: String {
        switch kind {
        case .refused(let refusal): NTAG424Error.advice(refusal)
        case .unproved, .malformed, .sessionOver:
            "Hold the card still and tap it again."
        case .impostor: "Keep the card and look it up in the ledger: it may be a copy."
        case .otherProtocol: "Use another chip. A chip in LRP mode cannot be switched back."
        case .keyRefusedBefore:
            "Take the card away. Find out by its key versions which keys it has before another tap."
        case .tooLong: "Report this: it is an error of the program."
        }
    }

    private static func words(_ refusal: NTAG424Refusal) -> String {
        switch refusal {
        case .unknownCommand: "the card does not know the command, or the session is over"
        case .integrity: "the card found the command damaged or repeated, and did nothing"
        case .noSuchKey: "the card has no such key, or its application is not selected"
        case .wrongLength: "the card found the command too short or too long"
        case .notAllowed: "the card does not allow this with the key in use"
        case .wrongParameter: "the card found a value in the command invalid"
        case .authenticationDelayed: "the card delays authentication after many wrong keys"
        case .authenticationFailed: "the card did not accept the key, and has counted the attempt"
        case .outsideFile: "the command reaches beyond the end of the file"
        case .aborted: "the card had expected the rest of an earlier command"
        case .memory: "the card could not write its memory"
        case .noSuchFile: "the card has no such file or application"
        case .other(let status):
            "the card answered with status "
                + Hexadecimal.encode([
                    UInt8(status.rawValue >> 8), UInt8(truncatingIfNeeded: status.rawValue),
                ])
        }
    }

    private static func advice(_ refusal: NTAG424Refusal) -> String {
        switch refusal {
        case .integrity, .aborted, .unknownCommand: "Tap the card again."
        case .authenticationDelayed:
            "Hold the card on the reader until it accepts an attempt; do not try other keys."
        case .authenticationFailed, .noSuchKey:
            "Do not try other keys: wrong ones are counted, and can kill a key. "
                + "Compare the card's key versions with the ledger."
        case .notAllowed: "Check the rights of the card's files, and which key the station has."
        case .memory: "Use another card: this one is worn out."
        case .noSuchFile: "Use an NTAG 424: this card is another one."
        case .wrongLength, .wrongParameter, .outsideFile, .other:
            "Tap the card again; if it is refused again, report what the card answered."
        }
    }
}
