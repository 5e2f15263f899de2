public import ServicePorts
public import TapcardDomain

/// An error in words (the event, and its meaning for the card and the money) and as data (the next
/// steps). Equal when the kinds are.
public struct TapcardError: Error, Sendable, Hashable, CustomStringConvertible {
    public let kind: Kind
    /// The event.
    public let what: String
    /// The meaning for the card and the money.
    public let meaning: String
    /// The next steps, in this order.
    public let next: [NextStep]
    public private(set) var uid: CardUID?
    /// The operation that may have happened: a retry with its id is safe.
    public private(set) var operation: OperationID?
    /// The operations that the tap has completed before it failed.
    public private(set) var settled: [Settled] = []

    public init(
        _ kind: Kind, _ what: String, meaning: String = "", next: [NextStep] = [],
        uid: CardUID? = nil, operation: OperationID? = nil
    ) {
        self.kind = kind
        self.what = TapcardError.ended(what)
        self.meaning = TapcardError.ended(meaning)
        self.next = next
        self.uid = uid
        self.operation = operation
    }

    /// Removes a second full stop after a sentence that ends with quoted words.
    private static func ended(_ text: String) -> String {
        guard text.hasSuffix(".."), !text.hasSuffix("...") else { return text }
        return String(text.dropLast())
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

    public var description: String {
        [what, meaning].filter { !$0.isEmpty }.joined(separator: " ")
    }

    public func naming(_ uid: CardUID?) -> TapcardError {
        var error = self
        error.uid = self.uid ?? uid
        return error
    }

    /// The error of a request that took several taps, or of a tap that has settled an operation.
    func telling(_ settled: [Settled]) -> TapcardError {
        var error = self
        error.settled = settled.filter { !error.settled.contains($0) } + error.settled
        return error
    }

    /// The error with other words, and the same card and operation.
    func saying(
        _ what: String? = nil, meaning: String? = nil, next: [NextStep]? = nil
    ) -> TapcardError {
        var error = TapcardError(
            kind, what ?? self.what, meaning: meaning ?? self.meaning, next: next ?? self.next,
            uid: uid, operation: operation)
        error.settled = settled
        return error
    }
}

extension TapcardError {
    /// The kinds of errors that a caller can act on.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// A rule of the domain or the ledger refused.
        case refusal(Refusal.Rule)
        /// A service gave no usable answer.
        case service(ServiceError.Kind)
        /// Another condition stopped the request.
        case condition(Condition)

        /// The kind's word in `--json`.
        public var word: String {
            switch self {
            case .refusal(let rule): rule.rawValue
            case .service(let kind): "service-\(kind.rawValue)"
            case .condition(let condition): condition.rawValue
            }
        }

        /// A cancelled call is a cancelled request, whichever service it was to.
        public static let allCases =
            Condition.allCases.map(condition) + Refusal.Rule.allCases.map(refusal)
            + ServiceError.Kind.allCases.filter { $0 != .cancelled }.map(service)
    }

    /// The conditions that stop a request, except refusals and services.
    public enum Condition: String, Sendable, CaseIterable {
        case failed
        case cancelled
        case tagLost = "tag-lost"
        case keysUnusable = "keys-unusable"
        case fileUnusable = "file-unusable"
        case usage
        case operationMismatch = "operation-mismatch"
        case noCard = "no-card"
        case confirmationNeeded = "confirmation-needed"
        case cardCurrency = "card-currency"
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
        case keysBehind = "keys-behind"
        case ledgerBehind = "ledger-behind"
        case ledgerLocked = "ledger-locked"
        case ledgerFull = "ledger-full"
        case ledgerCorrupt = "ledger-corrupt"
        case ledgerNewer = "ledger-newer"
        case ledgerUndeclared = "ledger-undeclared"
        case ledgerReadOnly = "ledger-read-only"
        case ledgerCurrency = "ledger-currency"
        case ledgerUnavailable = "ledger-unavailable"
        case ledgerUnreachable = "ledger-unreachable"
        case notSetUp = "not-set-up"
        case auditFailed = "audit-failed"
    }

    /// The nine ways in which a command can fail.
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
        case .refusal(let rule): rule.result
        case .service: .service
        case .condition(let condition): condition.result
        }
    }
}

extension Refusal.Rule {
    fileprivate var result: TapcardError.Result {
        switch self {
        case .badAmount, .badIdentifier, .badName: .usage
        case .insufficientFunds, .limitExceeded, .wrongState, .cardBlocked, .cardClosed,
            .cardKnown, .cardUnknown, .cardHasMoney, .numbersExhausted, .notRefundable,
            .alreadyRefunded, .badBalls, .badDraw, .noSuchDraw, .drawOver, .noDrawKnown,
            .badGuess, .nothingWon, .alreadyClaimed:
            .refused
        }
    }
}

extension TapcardError.Condition {
    fileprivate var result: TapcardError.Result {
        switch self {
        case .failed, .cancelled, .tagLost, .keysUnusable, .fileUnusable: .failed
        case .usage, .operationMismatch: .usage
        case .noCard: .noCard
        case .confirmationNeeded, .cardCurrency, .justSettled, .operationVoided, .wrongCard,
            .severalTags, .blankTag, .notACard, .unsupportedTag, .lockedTag, .protectedTag,
            .tooLong, .activationRefused:
            .refused
        case .noReader, .readerBusy, .readerLost, .unsupportedReader: .noReader
        case .outcomeUnknown: .unknown
        case .damaged, .forged, .copied, .rolledBack, .keyMissing: .untrusted
        case .keysBehind, .ledgerBehind, .ledgerLocked, .ledgerFull, .ledgerCorrupt, .ledgerNewer,
            .ledgerUndeclared, .ledgerReadOnly, .ledgerCurrency, .ledgerUnavailable,
            .ledgerUnreachable, .notSetUp, .auditFailed:
            .ledger
        }
    }
}

extension TapcardError.Kind {
    public static let failed = condition(.failed)
    public static let cancelled = condition(.cancelled)
    public static let tagLost = condition(.tagLost)
    public static let keysUnusable = condition(.keysUnusable)
    public static let fileUnusable = condition(.fileUnusable)
    public static let usage = condition(.usage)
    public static let operationMismatch = condition(.operationMismatch)
    public static let noCard = condition(.noCard)
    public static let confirmationNeeded = condition(.confirmationNeeded)
    public static let cardCurrency = condition(.cardCurrency)
    public static let justSettled = condition(.justSettled)
    public static let operationVoided = condition(.operationVoided)
    public static let wrongCard = condition(.wrongCard)
    public static let severalTags = condition(.severalTags)
    public static let blankTag = condition(.blankTag)
    public static let notACard = condition(.notACard)
    public static let unsupportedTag = condition(.unsupportedTag)
    public static let lockedTag = condition(.lockedTag)
    public static let protectedTag = condition(.protectedTag)
    public static let tooLong = condition(.tooLong)
    public static let activationRefused = condition(.activationRefused)
    public static let noReader = condition(.noReader)
    public static let readerBusy = condition(.readerBusy)
    public static let readerLost = condition(.readerLost)
    public static let unsupportedReader = condition(.unsupportedReader)
    public static let outcomeUnknown = condition(.outcomeUnknown)
    public static let damaged = condition(.damaged)
    public static let forged = condition(.forged)
    public static let copied = condition(.copied)
    public static let rolledBack = condition(.rolledBack)
    public static let keyMissing = condition(.keyMissing)
    public static let keysBehind = condition(.keysBehind)
    public static let ledgerBehind = condition(.ledgerBehind)
    public static let ledgerLocked = condition(.ledgerLocked)
    public static let ledgerFull = condition(.ledgerFull)
    public static let ledgerCorrupt = condition(.ledgerCorrupt)
    public static let ledgerNewer = condition(.ledgerNewer)
    public static let ledgerUndeclared = condition(.ledgerUndeclared)
    public static let ledgerReadOnly = condition(.ledgerReadOnly)
    public static let ledgerCurrency = condition(.ledgerCurrency)
    public static let ledgerUnavailable = condition(.ledgerUnavailable)
    public static let ledgerUnreachable = condition(.ledgerUnreachable)
    public static let notSetUp = condition(.notSetUp)
    public static let auditFailed = condition(.auditFailed)
}
