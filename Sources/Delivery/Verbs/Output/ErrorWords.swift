import TapcardCore
import TapcardDomain

extension TapcardError.Kind {
    /// The meaning of the error, for the help.
    package var meaning: String {
        switch self {
        case .condition(let condition): condition.meaning
        case .refusal(let rule): rule.meaning
        case .service(let kind): kind.meaning
        }
    }
}

extension TapcardError.Condition {
    fileprivate var meaning: String {
        switch self {
        case .failed: "any failure without a word of its own"
        case .cancelled: "the command was stopped before it began"
        case .tagLost: "the card was removed before it was read"
        case .keysUnusable: "the key file is missing, damaged, unsafe or does not match"
        case .fileUnusable: "a file or the data folder cannot be used"
        case .usage: "the command line or a setting is invalid"
        case .operationMismatch: "the id belongs to another request"
        case .noCard: "no card was presented in time"
        case .confirmationNeeded: "the request must be confirmed (`--yes`)"
        case .cardCurrency: "the card is in another currency"
        case .justResolved: "this tap just completed the same request"
        case .sameCard: "the card stayed on the reader after the same request"
        case .operationVoided: "the operation was voided; use a new id"
        case .wrongCard: "the card is not the one requested"
        case .severalTags: "more than one tag is on the reader"
        case .blankTag: "the tag is blank"
        case .notACard: "the tag holds other data, not a card"
        case .unsupportedTag: "the chip is not supported for this"
        case .lockedTag: "pages of the tag are locked for good"
        case .unusableTag: "the chip is worn out or was altered"
        case .protectedTag: "the tag's password is not known here"
        case .tooLong: "the name or text does not fit on the tag"
        case .activationRefused: "the service refused to activate the code"
        case .addressUnconfirmed: "the service's address is not confirmed"
        case .noReader: "no reader can be found or opened"
        case .readerBusy: "the reader is already in use"
        case .readerLost: "the reader stopped answering"
        case .unsupportedReader: "the reader does not support this"
        case .outcomeUnknown: "the operation may or may not have happened"
        case .damaged: "the card has no valid, current record"
        case .forged: "the record was not issued here, or its key is retired"
        case .copied: "the tag carries the data or number of another card"
        case .rolledBack: "the card is older than the ledger"
        case .keyMissing: "this station lacks the card's key"
        case .keysBehind: "this station lacks the current sealing key"
        case .ledgerBehind: "the card is newer than the ledger"
        case .ledgerLocked: "another program is using the ledger"
        case .ledgerFull: "there is no space left for the ledger"
        case .ledgerCorrupt: "the ledger is damaged or not recognized"
        case .ledgerNewer: "the ledger is from a newer version"
        case .ledgerUndeclared: "the owner must run `tapcard ledger reopen`"
        case .ledgerReadOnly: "the ledger is read-only or needs the owner's login"
        case .ledgerCurrency: "the ledger is in another currency"
        case .ledgerUnavailable: "the ledger is missing or cannot be used"
        case .ledgerOffline: "the ledger's server does not answer"
        case .notSetUp: "this station is not set up"
        case .auditFailed: "the audit found errors in the ledger"
        }
    }
}

extension Refusal.Rule {
    fileprivate var meaning: String {
        switch self {
        case .badAmount: "the amount is invalid or does not match"
        case .badIdentifier: "the id is invalid or already in use"
        case .badName: "the name is invalid or looks like another"
        case .insufficientBalance: "the balance is too low"
        case .limitExceeded: "the amount or balance is above a limit"
        case .wrongState: "the card or station does not allow this"
        case .cardBlocked: "the card is blocked or was replaced"
        case .cardClosed: "the card is closed and paid out"
        case .cardKnown: "the tag is already a card"
        case .cardUnknown: "the card is not in this ledger"
        case .cardHasMoney: "the card is neither closed nor replaced"
        case .numbersExhausted: "the card has no numbers left; replace it"
        case .notRefundable: "the operation cannot be refunded"
        case .alreadyRefunded: "the operation was already refunded"
        case .badBalls: "the numbers break the lottery's rules"
        case .badDraw: "the draw or the list of draws is invalid"
        case .noSuchDraw: "the draw is unknown or too far ahead"
        case .drawOver: "the draw has already taken place"
        case .noDrawKnown: "no draw is known"
        case .badGuess: "the guess or the game size is invalid"
        case .nothingWon: "no ticket has won in a known draw"
        case .alreadyClaimed: "the prize was already claimed"
        }
    }
}

extension ServiceError.Kind {
    fileprivate var meaning: String {
        switch self {
        case .offline: "the service is offline"
        case .timedOut: "the service did not answer in time"
        case .certificate: "the service's certificate is not trusted"
        case .cutOff: "the answer was cut off"
        case .tooLarge: "the answer is too large"
        case .redirected: "the service points to another address"
        case .refused: "the service rejected the request (4xx)"
        case .broken: "the service failed (5xx)"
        case .unauthorized: "the Mastermind login is missing or ended"
        case .wrongPassword: "the Mastermind password is wrong"
        case .notJSON: "the answer is not JSON"
        case .wrongShape: "the answer does not have the agreed form"
        case .goneBack: "the list lacks a draw known before"
        case .emptyVersion: "the answer has an empty version"
        case .badVersion: "the answer has an unreadable version"
        case .badBalls: "the answer has invalid lottery numbers"
        case .badDate: "the answer has an impossible date"
        case .notHTTP: "the answer is not valid HTTP"
        case .badAddress: "the service's address is invalid"
        case .noClient: "libcurl is missing on this machine"
        case .cancelled: "the request to the service was stopped"
        }
    }
}
