public import TapcardDomain

/// The table of errors. It has a row for each condition, each rule that can refuse a request, and
/// each way in which a service can fail.
extension TapcardError.Kind {
    /// Any failure that has no row of its own.
    public static let failed = Self("failed", .failed, "any failure not covered by another code")
    // 409, because the client asked for this and the server did nothing wrong.
    /// The command was stopped before anything began.
    public static let cancelled = Self(
        "cancelled", .failed, "the command was stopped before it began", http: 409)
    /// The card was removed before it had been read completely; nothing had begun.
    public static let tagLost = Self(
        "tag-lost", .failed, "the card was removed before it was read", next: [.tag(.holdStill)])
    /// The key file is missing, damaged, or readable by others.
    public static let keysUnusable = Self(
        "keys-unusable", .failed, "the key file is missing, damaged, unsafe, or the wrong one")
    /// A file or the data folder cannot be used.
    public static let fileUnusable = Self(
        "file-unusable", .failed, "a file or the data folder cannot be used")
    /// The request or the settings are invalid.
    public static let usage = Self("usage", .usage, "the request or a setting is invalid")
    // 409, because the request is well-formed and only conflicts with an earlier one.
    /// The operation's ID was already used for a different request.
    public static let operationMismatch = Self(
        "operation-mismatch", .usage, "the ID belongs to another request",
        next: [.request(.useNewID)], http: 409)
    /// No card was presented in time.
    public static let noCard = Self(
        "no-card", .noCard, "no card was tapped in time", next: [.tag(.tap(nil))])
    /// An amount is above a limit, so someone has to confirm it.
    public static let confirmationNeeded = Self(
        "confirmation-needed", .refused, "the request must be confirmed")
    /// The card's currency differs from the station's.
    public static let cardCurrency = Self(
        "card-currency", .refused, "the card uses a different currency")
    /// This tap has just resolved the same request.
    public static let justResolved = Self(
        "just-resolved", .refused, "this tap just completed an identical earlier request",
        next: [.request(.repeatIfIntended)])
    /// An identical request has been carried out since the card was put on the reader.
    public static let sameCard = Self(
        "same-card", .refused, "the request was repeated before the card was removed",
        next: [.request(.repeatIfIntended)])
    /// The operation was voided; it did not happen and never will.
    public static let operationVoided = Self(
        "operation-voided", .refused, "the operation was voided; use a new ID")
    /// The card is not the one that was requested.
    public static let wrongCard = Self("wrong-card", .refused, "the card is not the one requested")
    /// More than one tag is on the reader.
    public static let severalTags = Self(
        "several-tags", .refused, "more than one tag is on the reader", next: [.tag(.leaveOneCard)])
    /// The tag is blank.
    public static let blankTag = Self("blank-tag", .refused, "the tag is blank")
    /// The tag is not a tapcard card.
    public static let notACard = Self(
        "not-a-card", .refused, "the tag holds other data, not a card")
    /// The tag already holds a message.
    public static let tagNotEmpty = Self(
        "tag-not-empty", .refused, "the tag already holds other content")
    /// The chip is a model that tapcard does not write to.
    public static let unsupportedTag = Self(
        "unsupported-tag", .refused, "the chip is not supported for this operation")
    /// The tag is locked and cannot be written to.
    public static let lockedTag = Self(
        "locked-tag", .refused, "the tag or its configuration is permanently locked")
    /// The card's chip is worn out, or it was altered and can no longer be used.
    public static let unusableTag = Self(
        "unusable-tag", .refused, "the chip is worn out or was altered")
    /// The tag requires a password that this station does not know.
    public static let protectedTag = Self(
        "protected-tag", .refused, "the tag's password protection blocks the request")
    /// The text for phones does not fit on the tag.
    public static let tooLong = Self(
        "too-long", .refused, "the name or text does not fit on the tag",
        next: [.tag(.shortenName)])
    /// The activation service refused the code.
    public static let activationRefused = Self(
        "activation-refused", .refused, "the service refused to activate the code")
    /// The service still has its built-in address, which has to be confirmed first.
    public static let addressUnconfirmed = Self(
        "address-unconfirmed", .refused, "the service's address is not confirmed")
    /// The receipt printer cannot be reached, or it stopped.
    public static let printerFailed = Self(
        "printer-failed", .service, "the receipt printer cannot be reached or stopped")
    /// No reader can be used.
    public static let noReader = Self(
        "no-reader", .noReader, "no reader can be found or opened", next: [.reader(.diagnose)])
    /// Another program is using the reader.
    public static let readerBusy = Self(
        "reader-busy", .noReader, "the reader is already in use", next: [.reader(.free)])
    /// The reader no longer responds.
    public static let readerLost = Self(
        "reader-lost", .noReader, "the reader stopped responding", next: [.reader(.plugIn)])
    /// The reader does not support a command that the request needs.
    public static let unsupportedReader = Self(
        "unsupported-reader", .noReader, "the reader does not support this operation",
        next: [.reader(.useAnother)])
    /// The operation may have happened; the next tap resolves it.
    public static let outcomeUnknown = Self(
        "outcome-unknown", .unknown, "the operation may or may not have happened")
    /// The records on the card are damaged.
    public static let damaged = Self("damaged", .untrusted, "the card has no valid, current record")
    /// The card has a record that was never issued.
    public static let forged = Self(
        "forged", .untrusted, "the record was not issued here, or its key is retired")
    /// The card is a copy.
    public static let copied = Self(
        "copied", .untrusted, "the tag carries the data or number of another card",
        next: [.trust(.keepCopy)])
    /// The card's record is older than the last one that the ledger has confirmed.
    public static let rolledBack = Self(
        "rolled-back", .untrusted, "the card's record is older than the ledger's")
    /// The card is sealed with a key that this station does not have.
    public static let keyMissing = Self(
        "key-missing", .untrusted, "this machine lacks the card's key")
    /// This station lacks the key that the other stations seal with.
    public static let keysBehind = Self(
        "keys-behind", .ledger, "this machine lacks the current sealing key")
    /// The card is ahead of the ledger, which was restored from a backup.
    public static let ledgerBehind = Self(
        "ledger-behind", .ledger, "the card's record is newer than the ledger's")
    /// Another program has locked the ledger.
    public static let ledgerLocked = Self(
        "ledger-locked", .ledger, "another program is using the ledger")
    /// No space is left for the ledger.
    public static let ledgerFull = Self(
        "ledger-full", .ledger, "there is no space left for the ledger")
    /// The ledger is damaged.
    public static let ledgerCorrupt = Self(
        "ledger-corrupt", .ledger, "the ledger is damaged or not recognized")
    /// The ledger was written by a newer version.
    public static let ledgerNewer = Self(
        "ledger-newer", .ledger, "the ledger was written by a newer version of tapcard")
    /// The database was promoted or restored and has not been reopened.
    public static let ledgerUndeclared = Self(
        "ledger-undeclared", .ledger, "the owner must reopen the ledger")
    /// The ledger is read-only.
    public static let ledgerReadOnly = Self(
        "ledger-read-only", .ledger, "the ledger is read-only or needs the owner's login")
    /// The ledger uses a different currency.
    public static let ledgerCurrency = Self(
        "ledger-currency", .ledger, "the ledger uses a different currency")
    /// The ledger is missing or cannot be used.
    public static let ledgerUnavailable = Self(
        "ledger-unavailable", .ledger, "the ledger is missing or cannot be used")
    /// The ledger's server does not respond.
    public static let ledgerOffline = Self(
        "ledger-offline", .ledger, "the ledger's server is not responding")
    /// The station has not been set up.
    public static let notSetUp = Self("not-set-up", .ledger, "this machine is not set up")
    /// The audit found that the ledger violates its own rules.
    public static let auditFailed = Self(
        "audit-failed", .ledger, "the audit found errors in the ledger",
        next: [.ledger(.restoreGoodBackup)])

    /// The conditions, in the order used in the help.
    private static let conditions: [Self] = [
        .failed, .cancelled, .tagLost, .keysUnusable, .fileUnusable, .usage,
        .operationMismatch, .noCard, .confirmationNeeded, .cardCurrency, .justResolved,
        .sameCard, .operationVoided, .wrongCard, .severalTags, .blankTag, .notACard, .tagNotEmpty,
        .unsupportedTag, .lockedTag, .unusableTag, .protectedTag, .tooLong,
        .activationRefused, .addressUnconfirmed, .printerFailed, .noReader, .readerBusy,
        .readerLost, .unsupportedReader, .outcomeUnknown, .damaged, .forged, .copied, .rolledBack,
        .keyMissing, .keysBehind, .ledgerBehind, .ledgerLocked, .ledgerFull, .ledgerCorrupt,
        .ledgerNewer, .ledgerUndeclared, .ledgerReadOnly, .ledgerCurrency,
        .ledgerUnavailable, .ledgerOffline, .notSetUp, .auditFailed,
    ]
}

extension TapcardError.Kind {
    /// The row for a rule that refused a request.
    public static func refusal(_ rule: Refusal.Rule) -> Self {
        func row(
            _ meaning: String, _ result: TapcardError.Result = .refused, next: NextStep? = nil
        ) -> Self {
            Self(rule.rawValue, result, meaning, next: next.map { [$0] } ?? [])
        }
        return switch rule {
        case .badAmount:
            row("the amount is invalid or does not match the balance on the tag", .usage)
        case .badIdentifier: row("the ID is invalid or already in use", .usage)
        case .badName: row("the name is invalid or too similar to another name", .usage)
        case .insufficientBalance: row("the balance is too low", next: .card(.topUp))
        case .limitExceeded: row("the amount or balance is above a limit")
        case .wrongState: row("the current state of the card or machine does not allow this")
        case .cardBlocked: row("the card is blocked or was replaced", next: .card(.unblock))
        case .cardClosed:
            row("the card was closed and its balance was paid out", next: .card(.reissue))
        case .cardKnown: row("the tag is already a card", next: .card(.beginNewAccount))
        case .cardUnknown: row("the card is not in this ledger", next: .card(.adopt(nil)))
        case .cardHasMoney:
            row(
                "the card has not been closed or replaced, so it may hold money",
                next: .card(.payOut))
        case .numbersExhausted: row("the card has used up its sequence numbers; replace the card")
        case .notRefundable: row("the operation cannot be refunded", next: .card(.showHistory(nil)))
        case .alreadyRefunded:
            row("the operation was already refunded", next: .card(.showHistory(nil)))
        case .badBalls: row("the numbers break the lottery's rules")
        case .badDraw: row("the draw or the list of draws is invalid", next: .lottery(.showDraws))
        case .noSuchDraw:
            row("the draw is unknown or too far in the future", next: .lottery(.showDraws))
        case .drawOver: row("the draw has already taken place", next: .lottery(.buyForNextDraw))
        case .noDrawKnown: row("no draw has taken place yet", next: .lottery(.waitForDraws))
        case .badGuess: row("the guess or the game size is invalid")
        case .notForSale: row("a product is sold out, no longer sold, or has another price")
        case .shiftNeeded: row("the request needs an open shift", next: .request(.openShift))
        case .nothingWon: row("no ticket has won a prize in any known draw")
        case .alreadyClaimed: row("the prize was already claimed", next: .card(.showHistory(nil)))
        }
    }

    /// The row for a service failure. A canceled call counts as a canceled request.
    public static func service(_ kind: ServiceError.Kind) -> Self {
        func row(_ meaning: String, next: NextStep = .service(.checkAddress)) -> Self {
            Self("service-\(kind.rawValue)", .service, meaning, next: [next])
        }
        return switch kind {
        case .offline: row("the service is offline", next: .service(.tryLater))
        case .timedOut: row("the service did not respond in time", next: .service(.tryLater))
        case .certificate:
            row("the service's certificate is not trusted", next: .service(.sendNothing))
        case .cutOff: row("the response was cut off", next: .service(.tryLater))
        case .tooLarge: row("the response is too large")
        case .redirected: row("the service responded with a redirect")
        case .refused: row("the service rejected the request (4xx)")
        case .broken: row("the service failed (5xx)", next: .service(.tryLater))
        case .unauthorized:
            row("the Mastermind login is missing or has expired", next: .service(.logIn))
        case .wrongPassword:
            row("the Mastermind password is wrong", next: .service(.correctPassword))
        case .notJSON: row("the response is not JSON")
        case .wrongShape: row("the service's JSON does not match the documented format")
        case .goneBack:
            row(
                "the list of draws is older than one already received", next: .lottery(.forgetDraws)
            )
        case .emptyVersion: row("the version in the response is empty")
        case .badVersion: row("the version in the response is unreadable")
        case .badBalls: row("the lottery numbers in the response are invalid")
        case .badDate: row("a date in the response is impossible")
        case .notHTTP: row("the response is not valid HTTP")
        case .badAddress: row("the service's address is invalid")
        case .noClient: row("libcurl is missing on this machine", next: .service(.installClient))
        case .cancelled: cancelled
        }
    }
}

extension TapcardError.Kind: CaseIterable {
    /// All kinds, in the order used in the help.
    public static let allCases =
        conditions + Refusal.Rule.allCases.map(refusal)
        + ServiceError.Kind.allCases.filter { $0 != .cancelled }.map(service)
}
