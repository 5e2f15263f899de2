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
        case .failed: "something failed that has no word of its own"
        case .cancelled: "stopped before anything was begun"
        case .tagLost: "the card was gone before it was read to its end; nothing was begun"
        case .keysUnusable: "the key file is missing, damaged or open to others"
        case .fileUnusable: "a file that was named cannot be read or written"
        case .usage: "the command line or the settings are invalid"
        case .operationMismatch: "the operation's id stands for another request"
        case .noCard: "no card came in time"
        case .confirmationNeeded:
            "above the ceiling: --yes, or \"confirmed\" in the API, confirms it"
        case .cardCurrency: "the card is in another currency than this station"
        case .justResolved: "this tap has just resolved the same request; --again charges once more"
        case .sameCard:
            "in the API: the card has had the same since it was put on the reader; \"again\" "
                + "repeats it"
        case .operationVoided: "the operation was voided; it did not happen and never will"
        case .wrongCard: "another card than the one that was named"
        case .severalTags: "more than one tag lies on the reader"
        case .blankTag: "the tag is blank"
        case .notACard: "the tag is not a tapcard card"
        case .unsupportedTag: "the chip is not one that tapcard writes to"
        case .lockedTag: "the tag is locked and cannot be written"
        case .unusableTag: "the card's chip is worn out, or was changed so that it cannot be used"
        case .protectedTag: "the tag asks for a password that is not known here"
        case .tooLong: "what phones are to read has no room on the tag"
        case .activationRefused: "the activation service has refused the code"
        case .addressUnconfirmed:
            "the service's built-in default address has not been confirmed yet"
        case .noReader: "no reader can be used"
        case .readerBusy: "another program uses the reader"
        case .readerLost: "the reader does not answer any more"
        case .unsupportedReader: "the reader cannot pass on what is needed for this"
        case .outcomeUnknown: "the operation may have happened: the next tap resolves it"
        case .damaged: "the card's records are damaged"
        case .forged: "the card has a record that was never issued"
        case .copied: "the card is a copy"
        case .rolledBack: "the card shows an older state than the ledger has confirmed"
        case .keyMissing: "the card is sealed with a key that this station does not have"
        case .keysBehind: "this station lacks the key with which the others seal"
        case .ledgerBehind: "the card is ahead of the ledger, which was restored from a copy"
        case .ledgerLocked: "another program holds the ledger"
        case .ledgerFull: "no space is left for the ledger"
        case .ledgerCorrupt: "the ledger is damaged"
        case .ledgerNewer: "the ledger was written by a later version"
        case .ledgerUndeclared:
            "the database was promoted or restored, and is not reopened yet"
        case .ledgerReadOnly: "the ledger may only be read"
        case .ledgerCurrency: "the ledger is kept in another currency"
        case .ledgerUnavailable: "the ledger is not there or cannot be used"
        case .ledgerOffline: "the ledger's server does not answer"
        case .notSetUp: "the station was not set up yet: tapcard init"
        case .auditFailed: "the ledger breaks its own invariants"
        }
    }
}

extension Refusal.Rule {
    fileprivate var meaning: String {
        switch self {
        case .badAmount: "the amount is not one of the currency"
        case .badIdentifier: "the holder's number is not valid"
        case .badName: "the name is not one that a card or the ledger takes"
        case .insufficientBalance: "the card has less than was asked for"
        case .limitExceeded: "more than a card can hold, or more than is allowed"
        case .wrongState: "not possible in the state that the card or the station is in"
        case .cardBlocked: "the card is blocked, or was replaced"
        case .cardClosed: "the card was closed and paid out"
        case .cardKnown: "the ledger knows the card already"
        case .cardUnknown: "the ledger does not know the card"
        case .cardHasMoney: "money would be lost with the card"
        case .numbersExhausted: "the card has no sequence numbers left"
        case .notRefundable: "the operation cannot be reversed"
        case .alreadyRefunded: "the operation was reversed before"
        case .badBalls: "the numbers are not those of a lottery ticket"
        case .badDraw: "the draw, or the list of draws, makes no sense"
        case .noSuchDraw: "no such draw is known"
        case .drawOver: "the draw has taken place"
        case .noDrawKnown: "no draw is known"
        case .badGuess: "the guess is not one of this game"
        case .nothingWon: "the ticket has won nothing"
        case .alreadyClaimed: "the prize was booked before"
        }
    }
}

extension ServiceError.Kind {
    fileprivate var meaning: String {
        switch self {
        case .offline: "the service cannot be reached"
        case .timedOut: "the service gave no answer in time"
        case .certificate: "the service's certificate is not believed"
        case .cutOff: "the service's answer ended in the middle"
        case .tooLarge: "the service's answer is too large"
        case .redirected: "the service points to another address"
        case .refused: "the service refused the request"
        case .broken: "the service reports a fault of its own"
        case .unauthorized: "the login is not known or has ended"
        case .wrongPassword: "the service does not accept the password"
        case .notJSON: "the service's answer is not JSON"
        case .wrongShape: "the service's answer is not of the agreed form"
        case .goneBack: "the service's list is older than one it gave before"
        case .emptyVersion: "the activation service named no version"
        case .badVersion: "the activation service's version makes no sense"
        case .badBalls: "the lottery's numbers make no sense"
        case .badDate: "the lottery's date makes no sense"
        case .notHTTP: "what answers does not speak HTTP"
        case .badAddress: "the service's address is not valid"
        case .noClient: "the library for HTTP is not installed"
        case .cancelled: "the request to the service was stopped"
        }
    }
}
