public import TapcardDomain

/// An error in words (the event, and its meaning for the card and the money) and as data (the next
/// steps). Equal when the kinds are.
public struct TapcardError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, for code.
    public let kind: Kind
    /// The event.
    public let what: String
    /// The meaning for the card and the money.
    public let meaning: String
    /// The next steps, in this order.
    package let next: [NextStep]
    /// The card in question; nil without one.
    public private(set) var uid: CardUID?
    /// The operation that may have happened: a retry with its id is safe.
    public private(set) var operation: OperationID?
    /// The operations that the tap has completed before it failed.
    public private(set) var resolved: [ResolvedOperation] = []

    package init(
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

    /// The error with the card's number, where it had none.
    public func naming(_ uid: CardUID?) -> TapcardError {
        var error = self
        error.uid = self.uid ?? uid
        return error
    }

    /// The error of a request that took several taps, or of a tap that has resolved an operation.
    func telling(_ resolved: [ResolvedOperation]) -> TapcardError {
        var error = self
        error.resolved = resolved.filter { !error.resolved.contains($0) } + error.resolved
        return error
    }

    /// The error with other words, and the same card and operation.
    package func saying(
        _ what: String? = nil, meaning: String? = nil, next: [NextStep]? = nil
    ) -> TapcardError {
        var error = TapcardError(
            kind, what ?? self.what, meaning: meaning ?? self.meaning, next: next ?? self.next,
            uid: uid, operation: operation)
        error.resolved = resolved
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

        /// All kinds. The cancelled call of a service is a cancelled request.
        public static let allCases =
            Condition.allCases.map(condition) + Refusal.Rule.allCases.map(refusal)
            + ServiceError.Kind.allCases.filter { $0 != .cancelled }.map(service)
    }

    /// The conditions that stop a request, except refusals and services.
    public enum Condition: String, Sendable, CaseIterable {
        /// Something failed that has no word of its own.
        case failed
        /// Stopped before anything was begun.
        case cancelled
        /// The card was gone before it was read to its end; nothing was begun.
        case tagLost = "tag-lost"
        /// The key file is missing, damaged or open to others.
        case keysUnusable = "keys-unusable"
        /// A file that was named cannot be read or written.
        case fileUnusable = "file-unusable"
        /// The request or the settings are invalid.
        case usage
        /// The operation's id stands for another request.
        case operationMismatch = "operation-mismatch"
        /// No card came in time.
        case noCard = "no-card"
        /// The amount is above a ceiling: a person has to confirm it.
        case confirmationNeeded = "confirmation-needed"
        /// The card is in another currency than this station.
        case cardCurrency = "card-currency"
        /// This tap has just resolved the same request.
        case justResolved = "just-resolved"
        /// The card has had the same since it was put on the reader.
        case sameCard = "same-card"
        /// The operation was voided; it did not happen and never will.
        case operationVoided = "operation-voided"
        /// Another card than the one that was named.
        case wrongCard = "wrong-card"
        /// More than one tag lies on the reader.
        case severalTags = "several-tags"
        /// The tag is blank.
        case blankTag = "blank-tag"
        /// The tag is not a tapcard card.
        case notACard = "not-a-card"
        /// The chip is not one that tapcard writes to.
        case unsupportedTag = "unsupported-tag"
        /// The tag is locked and cannot be written.
        case lockedTag = "locked-tag"
        /// The card's chip is worn out, or was changed so that it cannot be used.
        case unusableTag = "unusable-tag"
        /// The tag asks for a password that is not known here.
        case protectedTag = "protected-tag"
        /// What phones are to read has no room on the tag.
        case tooLong = "too-long"
        /// The activation service has refused the code.
        case activationRefused = "activation-refused"
        /// The service still has its built-in address; confirm it before any request is sent.
        case addressUnconfirmed = "address-unconfirmed"
        /// No reader can be used.
        case noReader = "no-reader"
        /// Another program uses the reader.
        case readerBusy = "reader-busy"
        /// The reader does not answer any more.
        case readerLost = "reader-lost"
        /// The reader cannot pass on what is needed for this.
        case unsupportedReader = "unsupported-reader"
        /// The operation may have happened: the next tap resolves it.
        case outcomeUnknown = "outcome-unknown"
        /// The card's records are damaged.
        case damaged
        /// The card has a record that was never issued.
        case forged
        /// The card is a copy.
        case copied
        /// The card shows an older state than the ledger has confirmed.
        case rolledBack = "rolled-back"
        /// The card is sealed with a key that this station does not have.
        case keyMissing = "key-missing"
        /// This station lacks the key with which the others seal.
        case keysBehind = "keys-behind"
        /// The card is ahead of the ledger, which was restored from a copy.
        case ledgerBehind = "ledger-behind"
        /// Another program holds the ledger.
        case ledgerLocked = "ledger-locked"
        /// No space is left for the ledger.
        case ledgerFull = "ledger-full"
        /// The ledger is damaged.
        case ledgerCorrupt = "ledger-corrupt"
        /// The ledger was written by a later version.
        case ledgerNewer = "ledger-newer"
        /// The database was promoted or restored, and is not reopened yet.
        case ledgerUndeclared = "ledger-undeclared"
        /// The ledger may only be read.
        case ledgerReadOnly = "ledger-read-only"
        /// The ledger is kept in another currency.
        case ledgerCurrency = "ledger-currency"
        /// The ledger is not there or cannot be used.
        case ledgerUnavailable = "ledger-unavailable"
        /// The ledger's server does not answer.
        case ledgerOffline = "ledger-offline"
        /// The station was not set up yet.
        case notSetUp = "not-set-up"
        /// The ledger breaks its own invariants.
        case auditFailed = "audit-failed"
    }

    /// The nine ways in which a command can fail.
    public enum Result: String, Sendable, CaseIterable {
        /// Any failure that has no result of its own.
        case failed
        /// The request is invalid.
        case usage
        /// No card came in time.
        case noCard = "no-card"
        /// A rule refused the request: nothing happened.
        case refused
        /// No reader can be used.
        case noReader = "no-reader"
        /// The operation may have happened or not: the next tap resolves it.
        case unknown
        /// The card cannot be trusted.
        case untrusted
        /// A service gave no usable answer.
        case service
        /// The ledger cannot be used.
        case ledger

        /// The exit status of the command line for this result.
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

    /// The result to which the kind belongs. ``Result/unknown`` alone leaves the outcome open.
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
        case .insufficientBalance, .limitExceeded, .wrongState, .cardBlocked, .cardClosed,
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
        case .confirmationNeeded, .cardCurrency, .justResolved, .sameCard, .operationVoided,
            .wrongCard, .severalTags, .blankTag, .notACard, .unsupportedTag, .lockedTag,
            .unusableTag, .protectedTag, .tooLong, .activationRefused, .addressUnconfirmed:
            .refused
        case .noReader, .readerBusy, .readerLost, .unsupportedReader: .noReader
        case .outcomeUnknown: .unknown
        case .damaged, .forged, .copied, .rolledBack, .keyMissing: .untrusted
        case .keysBehind, .ledgerBehind, .ledgerLocked, .ledgerFull, .ledgerCorrupt, .ledgerNewer,
            .ledgerUndeclared, .ledgerReadOnly, .ledgerCurrency, .ledgerUnavailable,
            .ledgerOffline, .notSetUp, .auditFailed:
            .ledger
        }
    }
}

extension TapcardError.Kind {
    /// Something failed that has no word of its own.
    public static let failed = condition(.failed)
    /// Stopped before anything was begun.
    public static let cancelled = condition(.cancelled)
    /// The card was gone before it was read to its end; nothing was begun.
    public static let tagLost = condition(.tagLost)
    /// The key file is missing, damaged or open to others.
    public static let keysUnusable = condition(.keysUnusable)
    /// A file that was named cannot be read or written.
    public static let fileUnusable = condition(.fileUnusable)
    /// The request or the settings are invalid.
    public static let usage = condition(.usage)
    /// The operation's id stands for another request.
    public static let operationMismatch = condition(.operationMismatch)
    /// No card came in time.
    public static let noCard = condition(.noCard)
    /// The amount is above a ceiling: a person has to confirm it.
    public static let confirmationNeeded = condition(.confirmationNeeded)
    /// The card is in another currency than this station.
    public static let cardCurrency = condition(.cardCurrency)
    /// This tap has just resolved the same request.
    public static let justResolved = condition(.justResolved)
    /// The card has had the same since it was put on the reader.
    public static let sameCard = condition(.sameCard)
    /// The operation was voided; it did not happen and never will.
    public static let operationVoided = condition(.operationVoided)
    /// Another card than the one that was named.
    public static let wrongCard = condition(.wrongCard)
    /// More than one tag lies on the reader.
    public static let severalTags = condition(.severalTags)
    /// The tag is blank.
    public static let blankTag = condition(.blankTag)
    /// The tag is not a tapcard card.
    public static let notACard = condition(.notACard)
    /// The chip is not one that tapcard writes to.
    public static let unsupportedTag = condition(.unsupportedTag)
    /// The tag is locked and cannot be written.
    public static let lockedTag = condition(.lockedTag)
    /// The card's chip is worn out, or was changed so that it cannot be used.
    public static let unusableTag = condition(.unusableTag)
    /// The tag asks for a password that is not known here.
    public static let protectedTag = condition(.protectedTag)
    /// What phones are to read has no room on the tag.
    public static let tooLong = condition(.tooLong)
    /// The activation service has refused the code.
    public static let activationRefused = condition(.activationRefused)
    /// The built-in address of a service has to be confirmed before it is asked.
    public static let addressUnconfirmed = condition(.addressUnconfirmed)
    /// No reader can be used.
    public static let noReader = condition(.noReader)
    /// Another program uses the reader.
    public static let readerBusy = condition(.readerBusy)
    /// The reader does not answer any more.
    public static let readerLost = condition(.readerLost)
    /// The reader cannot pass on what is needed for this.
    public static let unsupportedReader = condition(.unsupportedReader)
    /// The operation may have happened: the next tap resolves it.
    public static let outcomeUnknown = condition(.outcomeUnknown)
    /// The card's records are damaged.
    public static let damaged = condition(.damaged)
    /// The card has a record that was never issued.
    public static let forged = condition(.forged)
    /// The card is a copy.
    public static let copied = condition(.copied)
    /// The card shows an older state than the ledger has confirmed.
    public static let rolledBack = condition(.rolledBack)
    /// The card is sealed with a key that this station does not have.
    public static let keyMissing = condition(.keyMissing)
    /// This station lacks the key with which the others seal.
    public static let keysBehind = condition(.keysBehind)
    /// The card is ahead of the ledger, which was restored from a copy.
    public static let ledgerBehind = condition(.ledgerBehind)
    /// Another program holds the ledger.
    public static let ledgerLocked = condition(.ledgerLocked)
    /// No space is left for the ledger.
    public static let ledgerFull = condition(.ledgerFull)
    /// The ledger is damaged.
    public static let ledgerCorrupt = condition(.ledgerCorrupt)
    /// The ledger was written by a later version.
    public static let ledgerNewer = condition(.ledgerNewer)
    /// The database was promoted or restored, and is not reopened yet.
    public static let ledgerUndeclared = condition(.ledgerUndeclared)
    /// The ledger may only be read.
    public static let ledgerReadOnly = condition(.ledgerReadOnly)
    /// The ledger is kept in another currency.
    public static let ledgerCurrency = condition(.ledgerCurrency)
    /// The ledger is not there or cannot be used.
    public static let ledgerUnavailable = condition(.ledgerUnavailable)
    /// The ledger's server does not answer.
    public static let ledgerOffline = condition(.ledgerOffline)
    /// The station was not set up yet.
    public static let notSetUp = condition(.notSetUp)
    /// The ledger breaks its own invariants.
    public static let auditFailed = condition(.auditFailed)
}
