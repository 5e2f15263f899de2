import Cards
public import Ledger
public import Tags
public import TapcardDomain

extension TapcardError {
    package static let unchanged = "Nothing was changed, and no money moved."
    /// What an unusable ledger means for the station.
    package static let needsLedger =
        "Payments, top-ups, and other money operations are not possible until the ledger can be "
        + "used again"
    static let moneyIsSafe = "The full balance is safe in the ledger."
    static let nothingWritten = "Nothing was written to the tag."

    /// Translates a refusal by a rule of the domain or the ledger.
    public init(_ refusal: Refusal, uid: CardUID? = nil) {
        let next: [NextStep]? =
            switch (refusal.rule, refusal.reason) {
            case (.cardBlocked, .replaced): [.card(.useReplacement), .card(.reissueTag)]
            case (.notRefundable, .otherCard(let other)): [.tag(.tap(other))]
            case (.notRefundable, .earlierAccount): [.card(.showEarlierAccount)]
            default: nil
            }
        self.init(
            .refusal(refusal.rule), TapcardError.sentence(refusal.detail),
            meaning: TapcardError.unchanged, next: next, uid: uid)
    }

    /// Translates a service failure. `meaning` says what the failure means for the card.
    public init(_ error: ServiceError, meaning: String, uid: CardUID? = nil) {
        if error.kind == .cancelled {
            self.init(
                .cancelled, "Canceled.", meaning: meaning, next: [.service(.tryLater)], uid: uid)
            return
        }
        let what = error.kind == .wrongPassword ? "login failed" : "the service could not be used"
        self.init(
            .service(error.kind), TapcardError.sentence("\(what): \(error.detail)"),
            meaning: meaning, uid: uid)
    }

    /// Translates a reader failure that happened before anything began.
    public init(_ error: ReaderError) {
        let detail = error.detail.isEmpty ? "" : " (\(error.detail))"
        let (kind, what): (Kind, String) =
            switch error.kind {
            case .noReader: (.noReader, "No usable NFC reader was found\(detail).")
            case .busy:
                (.readerBusy, "The NFC reader is busy with another program\(detail).")
            case .readerLost:
                (
                    .readerLost,
                    "The NFC reader stopped responding and may have been unplugged\(detail)."
                )
            case .noTag: (.noCard, "No card was tapped in time.")
            case .severalTags: (.severalTags, "More than one tag is on the reader.")
            case .unsupported:
                (
                    .unsupportedReader,
                    "This NFC reader can only read and write pages; it cannot send the other "
                        + "commands that are needed (chip version, password, NTAG 424)."
                )
            case .cancelled: (.cancelled, "Canceled.")
            case .tagLost, .refused, .garbled, .timedOut:
                (
                    .tagLost,
                    "The card was removed or became unreadable before it was read "
                        + "completely\(detail)."
                )
            }
        self.init(kind, what, meaning: TapcardError.unchanged)
    }

    /// Translates a ledger failure that happened before anything began.
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
        let meaning =
            switch error.kind {
            case .locked, .full, .wrongCurrency, .refused: TapcardError.unchanged
            // Only a database that cannot be reached lets a station take offline payments.
            case .offline:
                TapcardError.needsLedger
                    + ", except for offline payments where those are turned on."
            default: TapcardError.needsLedger + "."
            }
        self.init(
            kind, TapcardError.sentence(error.detail), meaning: meaning,
            next: isBusy ? [.ledger(.stopTakingMoney)] : [])
    }

    init(_ error: CardImageError) {
        self.init(
            .tooLong, TapcardError.sentence(error.detail), meaning: TapcardError.unchanged)
    }

    init(_ error: CardStoreError) {
        switch error.kind {
        case .reader(let kind): self.init(ReaderError(kind, error.detail))
        case .interrupted(.readerLost):
            // The card can be repaired only once the reader is back, so the error reports the lost
            // reader.
            let lost = TapcardError(ReaderError(.readerLost, error.detail))
            self.init(
                lost.kind, lost.what,
                meaning: "This happened while the card was being written, so it may be only partly "
                    + "written; the next tap repairs it.")
        case .interrupted(let kind):
            self.init(
                .tagLost,
                (kind == .tagLost
                    ? "The card was removed before the write was confirmed"
                    : "The write to the card could not be confirmed") + " (\(error.detail)).")
        case .wrongPassword:
            self.init(
                .protectedTag, "The tag rejects the card's write password.",
                meaning: "The tag is a copy, or someone changed the password of the original card. "
                    + "The full balance is safe in the ledger.", next: [.trust(.replaceIfGenuine)])
        case .limitsPasswords:
            self.init(
                .protectedTag, "Someone set this tag to limit password attempts (AUTHLIM).",
                meaning: "No password was sent, because the tag could lock itself. The full "
                    + "balance is safe in the ledger.",
                next: [.trust(.replace(nil))])
        case .lockedSettings:
            self.init(
                .lockedTag, TapcardError.sentence(error.detail),
                meaning: "The tag's configuration pages are permanently locked, so its write "
                    + "protection stays as it is. The full balance is safe in the ledger.",
                next: [.trust(.replace(nil))])
        case .ignoresPassword:
            self.init(
                .unsupportedTag,
                "A page could be written without the password, although write protection was "
                    + "turned on.",
                meaning: "The tag may be a clone whose protection is fake, or the reader may have "
                    + "kept its field on between two sessions. The full balance is safe in the "
                    + "ledger.",
                next: [.tag(.liftAndTap), .trust(.replaceIfItHappensAgain)])
        case .otherChip:
            self.init(
                .unsupportedTag, "This tag does not match the ledger: \(error.detail).",
                meaning: "The tag may be a copy, but the full balance is safe in the ledger.",
                next: [.trust(.replaceIfItHappensAgain)])
        case .otherTag, .garbled, .differs: self.init(ReaderError(.garbled, error.detail))
        }
    }

    /// The text as a sentence, starting with a capital letter and ending with a period.
    package static func sentence(_ text: String) -> String {
        guard let first = text.first else { return text }
        let ended = text.hasSuffix(".") ? text : text + "."
        return first.uppercased() + ended.dropFirst()
    }
}
