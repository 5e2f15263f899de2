import CardImage
import CardStore
public import Ledger
public import ServicePorts
public import TagReading
public import TapcardDomain

extension TapcardError {
    static let unchanged = "Nothing was changed on card or ledger."

    /// A rule of the domain or the ledger said no.
    public init(_ refusal: Refusal, uid: CardUID? = nil) {
        let kind = Kind(rawValue: refusal.rule.rawValue) ?? .failed
        let advice: String
        switch refusal.rule {
        case .insufficientFunds: advice = "Add funds with tapcard add, or charge less."
        case .cardBlocked where refusal.isForGood:
            advice =
                "Its money is on the other card. Its tag can become a new card with tapcard issue "
                + "--reissue."
        case .cardBlocked: advice = "An operator can allow it again with tapcard unblock."
        case .cardClosed: advice = "It can become a new card with tapcard issue --reissue."
        case .cardKnown: advice = "To close that account and begin a new one, add --reissue."
        case .cardUnknown:
            advice = "tapcard adopt takes over a card that this ledger does not know."
        case .cardHasMoney: advice = "Pay it out with tapcard close first."
        case .alreadyRefunded, .notRefundable: advice = "tapcard history shows the operations."
        case .alreadyClaimed: advice = "tapcard history shows the operations."
        case .drawOver: advice = "Leave --draw out to buy for the next draw."
        case .badDraw, .noSuchDraw:
            advice = "tapcard draws lists those that have taken place."
        case .noDrawKnown: advice = "Try again when the lottery names its draws."
        case .badAmount, .badName, .badIdentifier, .limitExceeded, .wrongState,
            .numbersExhausted, .badBalls, .badGuess, .nothingWon:
            advice = ""
        }
        self.init(
            kind, TapcardError.sentence(refusal.detail), meaning: TapcardError.unchanged,
            advice: advice, uid: uid)
    }

    /// A service gave no usable answer. `meaning` says what that means for the card.
    public init(_ error: ServiceError, meaning: String, uid: CardUID? = nil) {
        let advice =
            switch error.kind {
            case .unauthorized: "Log in with tapcard mastermind login."
            case .wrongPassword: "Try again with the right name and password."
            case .certificate:
                "Do not trust what answers there; check the address with tapcard config."
            case .unreachable, .timedOut, .cutOff, .broken, .cancelled: "Try again later."
            case .goneBack:
                "If the lottery has really begun anew there: tapcard draws --forget. Otherwise ask "
                    + "whoever runs it."
            case .noClient: "Install it with apt-get install libcurl4."
            case .tooLarge, .redirected, .refused, .notHTTP, .notJSON, .wrongShape, .emptyVersion,
                .badVersion, .badBalls, .badDate, .badAddress:
                "Check the service's address with tapcard config, or ask whoever runs it."
            }
        if error.kind == .cancelled {
            self.init(.cancelled, "Stopped.", meaning: meaning, advice: advice, uid: uid)
            return
        }
        self.init(
            Kind(rawValue: "service-\(error.kind.rawValue)") ?? .failed,
            TapcardError.sentence("the service gave no usable answer: \(error.detail)"),
            meaning: meaning,
            advice: advice, uid: uid)
    }

    /// A reader failed before anything was begun.
    public init(_ error: ReaderError) {
        let detail = error.detail.isEmpty ? "" : " (\(error.detail))"
        switch error.kind {
        case .noReader:
            self.init(
                .noReader, "There is no usable reader\(detail).",
                meaning: TapcardError.unchanged,
                advice: "tapcard doctor says why and what to do; tapcard --reader sim works "
                    + "without one.")
        case .busy:
            self.init(
                .readerBusy, "The reader is in use\(detail).",
                meaning: TapcardError.unchanged,
                advice: "Stop the other program, or wait until it has finished; tapcard doctor "
                    + "says which it is.")
        case .readerLost:
            self.init(
                .readerLost, "The reader does not answer any more\(detail).",
                meaning: TapcardError.unchanged,
                advice: "Plug it in again and repeat; tapcard doctor says what is wrong with it.")
        case .noTag:
            self.init(
                .noCard, "No card came in time.", meaning: TapcardError.unchanged,
                advice: "Hold a card to the reader; --timeout sets how long to wait.")
        case .severalTags:
            self.init(
                .severalTags, "There is more than one tag on the reader.",
                meaning: TapcardError.unchanged, advice: "Leave only one of them there.")
        case .unsupported:
            self.init(
                .unsupportedReader,
                "This reader cannot ask a tag what chip it is, nor send it a password.",
                meaning: TapcardError.unchanged,
                advice: "It reads and charges cards that the ledger knows; for this, use a reader "
                    + "that passes on every command.")
        case .cancelled:
            self.init(.cancelled, "Stopped.", meaning: TapcardError.unchanged)
        case .tagLost, .refused, .garbled, .timedOut:
            self.init(
                .tagLost, "The card could not be read to its end\(detail).",
                meaning: TapcardError.unchanged, advice: "Hold it still and try again.")
        }
    }

    /// The ledger failed before anything was begun.
    public init(_ error: LedgerError) {
        let kind: Kind
        switch error.kind {
        case .locked: kind = .ledgerLocked
        case .full: kind = .ledgerFull
        case .corrupt: kind = .ledgerCorrupt
        case .newer: kind = .ledgerNewer
        case .readOnly: kind = .ledgerReadOnly
        case .wrongCurrency: kind = .ledgerCurrency
        case .unavailable, .outcomeUnknown: kind = .ledgerUnavailable
        }
        let rule = "Without its ledger tapcard takes and gives no money."
        switch error.kind {
        case .locked, .full:
            self.init(
                kind, TapcardError.sentence(error.detail), meaning: TapcardError.unchanged,
                advice: rule)
        case .corrupt, .newer, .readOnly, .wrongCurrency, .unavailable, .outcomeUnknown:
            self.init(kind, TapcardError.sentence(error.detail), meaning: rule)
        }
    }

    init(_ error: CardImageError) {
        self.init(
            .tooLong, TapcardError.sentence(error.detail), meaning: TapcardError.unchanged,
            advice: "Use a shorter name, none at all, or a tag with more memory.")
    }

    init(_ error: CardStoreError) {
        switch error.kind {
        case .reader(let kind): self.init(ReaderError(kind, error.detail))
        case .interrupted(.readerLost):
            let lost = TapcardError(ReaderError(.readerLost, error.detail))
            self.init(
                lost.kind, lost.what, meaning: "The card may be half written.",
                advice: lost.advice)
        case .interrupted(let kind):
            self.init(
                .tagLost,
                (kind == .tagLost
                    ? "The card was pulled away too soon"
                    : "The card did not take what was written")
                    + " (\(error.detail)).", advice: "Hold it still and try again.")
        case .unknownChip:
            self.init(
                .unsupportedTag, TapcardError.sentence(error.detail),
                meaning: TapcardError.unchanged, advice: "Use NTAG213, NTAG215 or NTAG216.")
        case .wrongPassword:
            self.init(
                .protectedTag, "The tag does not take the card's password.",
                meaning: "It may be a copy of the card, or somebody has changed its password. "
                    + "The money is safe in the ledger.",
                advice: "If this is the card, move its balance to another tag with tapcard "
                    + "replace.")
        case .limitsPasswords:
            self.init(
                .protectedTag,
                "The tag counts wrong passwords: somebody has changed its settings.",
                meaning: "No password was tried on it. The money is safe in the ledger.",
                advice: "Move the card's balance to another tag with tapcard replace.")
        case .lockedSettings:
            self.init(
                .lockedTag, TapcardError.sentence(error.detail),
                meaning: "Its protection stays as it is. The money is safe in the ledger.",
                advice: "Move the card's balance to another tag with tapcard replace.")
        case .ignoresPassword:
            self.init(
                .unsupportedTag, "The tag can be written to without its password.",
                meaning: "It has a chip that only claims to be protected, or the reader does not "
                    + "switch its field off. The money is safe in the ledger.",
                advice: "Lift the card and tap it again; if that does not help, move its balance "
                    + "to another tag with tapcard replace.")
        case .otherChip:
            self.init(
                .unsupportedTag, "The tag is not what it was: \(error.detail).",
                meaning: "It may be a copy of the card. The money is safe in the ledger.",
                advice: "If it says so each time, move the card's balance to another tag with "
                    + "tapcard replace.")
        case .otherTag, .garbled, .differs: self.init(ReaderError(.garbled, error.detail))
        }
    }

    /// The first letter large, a full stop at the end.
    static func sentence(_ text: String) -> String {
        guard let first = text.first else { return text }
        let ended = text.hasSuffix(".") ? text : text + "."
        return first.uppercased() + ended.dropFirst()
    }
}
