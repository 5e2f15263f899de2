public import TapcardDomain

/// Why something could not be done, in words that say what happened, what it means for the card
/// and the money, and what to do next. Equal when the kinds are.
public struct TapcardError: Error, Sendable, Hashable, CustomStringConvertible {
    public let kind: Kind
    /// What happened.
    public let what: String
    /// What it means for the card and the money.
    public let meaning: String
    /// What to do next.
    public let advice: String
    public private(set) var uid: CardUID?
    /// The operation that may have happened: the id that makes a repetition safe.
    public private(set) var operation: OperationID?
    /// What the failed tap has brought to its end before it failed.
    public private(set) var settled: [Settled] = []

    public init(
        _ kind: Kind, _ what: String, meaning: String = "", advice: String = "",
        uid: CardUID? = nil, operation: OperationID? = nil
    ) {
        self.kind = kind
        self.what = TapcardError.ended(what)
        self.meaning = TapcardError.ended(meaning)
        self.advice = TapcardError.ended(advice)
        self.uid = uid
        self.operation = operation
    }

    /// A sentence that ends with words of somebody else's ends once, though those had a full stop.
    private static func ended(_ text: String) -> String {
        guard text.hasSuffix(".."), !text.hasSuffix("...") else { return text }
        return String(text.dropLast())
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

    public var description: String {
        [what, meaning, advice].filter { !$0.isEmpty }.joined(separator: " ")
    }

    public func naming(_ uid: CardUID?) -> TapcardError {
        var error = self
        error.uid = self.uid ?? uid
        return error
    }

    /// The error of a request that took several taps, or of a tap that has settled something.
    func telling(_ settled: [Settled]) -> TapcardError {
        var error = self
        error.settled = settled.filter { !error.settled.contains($0) } + error.settled
        return error
    }

    /// The error with other words: what is known of card and operation stays.
    func saying(
        _ what: String? = nil, meaning: String? = nil, advice: String? = nil
    ) -> TapcardError {
        var error = TapcardError(
            kind, what ?? self.what, meaning: meaning ?? self.meaning,
            advice: advice ?? self.advice, uid: uid, operation: operation)
        error.settled = settled
        return error
    }
}

extension TapcardError {
    /// What a caller can act on; the word is part of `--json`.
    public enum Kind: String, Sendable, CaseIterable {
        case failed
        case cancelled
        case tagLost = "tag-lost"
        case keysUnusable = "keys-unusable"
        case fileUnusable = "file-unusable"

        case usage
        case badAmount = "bad-amount"
        case badIdentifier = "bad-identifier"
        case badName = "bad-name"
        case operationMismatch = "operation-mismatch"

        case noCard = "no-card"

        case insufficientFunds = "insufficient-funds"
        case limitExceeded = "limit-exceeded"
        case confirmationNeeded = "confirmation-needed"
        case wrongState = "wrong-state"
        case cardBlocked = "card-blocked"
        case cardClosed = "card-closed"
        case cardKnown = "card-known"
        case cardUnknown = "card-unknown"
        case cardCurrency = "card-currency"
        case cardHasMoney = "card-has-money"
        case numbersExhausted = "numbers-exhausted"
        case notRefundable = "not-refundable"
        case alreadyRefunded = "already-refunded"
        case badBalls = "bad-balls"
        case badDraw = "bad-draw"
        case noSuchDraw = "no-such-draw"
        case drawOver = "draw-over"
        case noDrawKnown = "no-draw-known"
        case badGuess = "bad-guess"
        case nothingWon = "nothing-won"
        case alreadyClaimed = "already-claimed"
        case justSettled = "just-settled"
        case operationVoided = "operation-voided"
        case wrongCard = "wrong-card"
        case severalTags = "several-tags"
        case blankTag = "blank-tag"
        case notACard = "not-a-card"
        case unsupportedTag = "unsupported-tag"
        case lockedTag = "locked-tag"
        case protectedTag = "protected-tag"
        case tooLong = "too-long"

        case activationRefused = "activation-refused"
        case serviceUnreachable = "service-unreachable"
        case serviceTimedOut = "service-timed-out"
        case serviceCertificate = "service-bad-certificate"
        case serviceCutOff = "service-cut-off"
        case serviceTooLarge = "service-too-large"
        case serviceRedirected = "service-redirected"
        case serviceRefused = "service-refused"
        case serviceBroken = "service-broken"
        case serviceUnauthorized = "service-unauthorized"
        case serviceWrongPassword = "service-wrong-password"
        case serviceNotJSON = "service-not-json"
        case serviceWrongShape = "service-wrong-shape"
        case serviceGoneBack = "service-gone-back"
        case serviceEmptyVersion = "service-empty-version"
        case serviceBadVersion = "service-bad-version"
        case serviceBadBalls = "service-bad-balls"
        case serviceBadDate = "service-bad-date"
        case serviceNotHTTP = "service-not-http"
        case serviceBadAddress = "service-bad-address"
        case serviceNoClient = "service-no-client"

        case noReader = "no-reader"
        case readerBusy = "reader-busy"
        case readerLost = "reader-lost"
        case unsupportedReader = "unsupported-reader"

        case outcomeUnknown = "outcome-unknown"

        case damaged
        case forged
        case copied
        case rolledBack = "rolled-back"
        case keyMissing = "key-missing"

        case ledgerBehind = "ledger-behind"
        case ledgerLocked = "ledger-locked"
        case ledgerFull = "ledger-full"
        case ledgerCorrupt = "ledger-corrupt"
        case ledgerNewer = "ledger-newer"
        case ledgerReadOnly = "ledger-read-only"
        case ledgerCurrency = "ledger-currency"
        case ledgerUnavailable = "ledger-unavailable"
        case notSetUp = "not-set-up"
        case auditFailed = "audit-failed"
    }

    /// The nine ways in which a command can end other than well.
    public enum Result: String, Sendable, CaseIterable {
        case failed
        case usage
        case noCard = "no-card"
        case refused
        case noReader = "no-reader"
        case unknown
        case untrusted
        case service
        case ledger

        public var exitStatus: Int32 {
            switch self {
            case .failed: 1
            case .usage: 2
            case .noCard: 3
            case .refused: 4
            case .noReader: 5
            case .unknown: 6
            case .untrusted: 7
            case .service: 8
            case .ledger: 9
            }
        }
    }

    public var result: Result {
        switch kind {
        case .failed, .cancelled, .tagLost, .keysUnusable, .fileUnusable: .failed
        case .usage, .badAmount, .badIdentifier, .badName, .operationMismatch: .usage
        case .noCard: .noCard
        case .insufficientFunds, .limitExceeded, .confirmationNeeded, .wrongState, .cardBlocked,
            .cardClosed, .cardKnown, .cardUnknown, .cardCurrency, .cardHasMoney,
            .numbersExhausted, .notRefundable, .alreadyRefunded, .badBalls, .badDraw, .noSuchDraw,
            .drawOver, .noDrawKnown, .badGuess,
            .nothingWon, .alreadyClaimed, .justSettled,
            .operationVoided, .wrongCard, .severalTags, .blankTag, .notACard,
            .unsupportedTag, .lockedTag, .protectedTag, .tooLong, .activationRefused:
            .refused
        case .serviceUnreachable, .serviceTimedOut, .serviceCertificate, .serviceCutOff,
            .serviceTooLarge, .serviceRedirected, .serviceRefused, .serviceBroken,
            .serviceUnauthorized, .serviceWrongPassword, .serviceNotJSON, .serviceWrongShape,
            .serviceGoneBack, .serviceEmptyVersion, .serviceBadVersion, .serviceBadBalls,
            .serviceBadDate, .serviceNotHTTP, .serviceBadAddress, .serviceNoClient:
            .service
        case .noReader, .readerBusy, .readerLost, .unsupportedReader: .noReader
        case .outcomeUnknown: .unknown
        case .damaged, .forged, .copied, .rolledBack, .keyMissing: .untrusted
        case .ledgerBehind, .ledgerLocked, .ledgerFull, .ledgerCorrupt, .ledgerNewer,
            .ledgerReadOnly, .ledgerCurrency, .ledgerUnavailable, .notSetUp,
            .auditFailed:
            .ledger
        }
    }
}
