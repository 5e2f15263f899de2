import Cards
public import Ledger
public import Tags
public import TapcardDomain

extension TapcardError {
    static let unchanged = "Nothing was changed on card or ledger."

    /// Translates a refusal by a rule of the domain or the ledger.
    public init(_ refusal: Refusal, uid: CardUID? = nil) {
        let next: [NextStep]? =
            switch (refusal.rule, refusal.reason) {
            case (.cardBlocked, .replaced): [.card(.useReplacement), .card(.reissueTag)]
            case (.notRefundable, .otherCard(let other)): [.tag(.hold(other))]
            case (.notRefundable, .earlierAccount): [.card(.showEarlierAccount)]
            default: nil
            }
        self.init(
            .refusal(refusal.rule), TapcardError.sentence(refusal.detail),
            meaning: TapcardError.unchanged, next: next, uid: uid)
    }

    /// Translates a service's failure. `meaning` says what it means for the card.
    public init(_ error: ServiceError, meaning: String, uid: CardUID? = nil) {
        if error.kind == .cancelled {
            self.init(
                .cancelled, "Stopped.", meaning: meaning, next: [.service(.tryLater)], uid: uid)
            return
        }
        self.init(
            .service(error.kind),
            TapcardError.sentence("the service gave no usable answer: \(error.detail)"),
            meaning: meaning, uid: uid)
    }

    /// Translates a reader's failure before anything began.
    public init(_ error: ReaderError) {
        let detail = error.detail.isEmpty ? "" : " (\(error.detail))"
        let (kind, what): (Kind, String) =
            switch error.kind {
            case .noReader: (.noReader, "There is no usable reader\(detail).")
            case .busy: (.readerBusy, "The reader is in use\(detail).")
            case .readerLost: (.readerLost, "The reader does not answer any more\(detail).")
            case .noTag: (.noCard, "No card came in time.")
            case .severalTags: (.severalTags, "There is more than one tag on the reader.")
            case .unsupported:
                (
                    .unsupportedReader,
                    "This reader cannot ask a tag what chip it is, nor send it a password."
                )
            case .cancelled: (.cancelled, "Stopped.")
            case .tagLost, .refused, .garbled, .timedOut:
                (.tagLost, "The card could not be read to its end\(detail).")
            }
        self.init(kind, what, meaning: TapcardError.unchanged)
    }

    /// Translates a ledger's failure before anything began.
    public init(_ error: LedgerError) {
        let kind: Kind =
            switch error.kind {
            case .locked: .ledgerLocked
            case .full: .ledgerFull
            case .corrupt: .ledgerCorrupt
            case .newer: .ledgerNewer
            case .undeclared: .ledgerUndeclared
            case .refused: .refusal(.wrongState)
            case .readOnly: .ledgerReadOnly
            case .wrongCurrency: .ledgerCurrency
            case .unavailable, .outcomeUnknown: .ledgerUnavailable
            case .offline: .ledgerOffline
            }
        let isBusy = kind == .ledgerLocked || kind == .ledgerFull
        self.init(
            kind, TapcardError.sentence(error.detail),
            meaning: isBusy
                ? TapcardError.unchanged
                : "Without its ledger, tapcard makes no payments, top-ups or payouts.",
            next: isBusy ? [.ledger(.takeNoMoney)] : [])
    }

    init(_ error: CardImageError) {
        self.init(
            .tooLong, TapcardError.sentence(error.detail), meaning: TapcardError.unchanged)
    }

    init(_ error: CardStoreError) {
        switch error.kind {
        case .reader(let kind): self.init(ReaderError(kind, error.detail))
        case .interrupted(.readerLost):
            let lost = TapcardError(ReaderError(.readerLost, error.detail))
            self.init(lost.kind, lost.what, meaning: "The card may be half written.")
        case .interrupted(let kind):
            self.init(
                .tagLost,
                (kind == .tagLost
                    ? "The card was pulled away too soon"
                    : "The card did not take what was written") + " (\(error.detail)).")
        case .wrongPassword:
            self.init(
                .protectedTag, "The tag does not take the card's password.",
                meaning: "It may be a copy of the card, or somebody has changed its password. "
                    + "The money is safe in the ledger.", next: [.trust(.replaceIfGenuine)])
        case .limitsPasswords:
            self.init(
                .protectedTag, "The tag counts wrong passwords: somebody has changed its settings.",
                meaning: "No password was tried on it. The money is safe in the ledger.",
                next: [.trust(.replace(nil))])
        case .lockedSettings:
            self.init(
                .lockedTag, TapcardError.sentence(error.detail),
                meaning: "Its protection stays as it is. The money is safe in the ledger.",
                next: [.trust(.replace(nil))])
        case .ignoresPassword:
            self.init(
                .unsupportedTag, "The tag can be written to without its password.",
                meaning: "It has a chip that only claims to be protected, or the reader does not "
                    + "switch its field off. The money is safe in the ledger.",
                next: [.tag(.liftAndTap), .trust(.replaceIfItRepeats)])
        case .otherChip:
            self.init(
                .unsupportedTag, "The tag is not what it was: \(error.detail).",
                meaning: "It may be a copy of the card. The money is safe in the ledger.",
                next: [.trust(.replaceIfItRepeats)])
        case .otherTag, .garbled, .differs: self.init(ReaderError(.garbled, error.detail))
        }
    }

    /// The text as a sentence, with a capital letter first and a period at the end.
    package static func sentence(_ text: String) -> String {
        guard let first = text.first else { return text }
        let ended = text.hasSuffix(".") ? text : text + "."
        return first.uppercased() + ended.dropFirst()
    }
}
