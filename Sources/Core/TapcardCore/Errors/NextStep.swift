package import Ledger
package import TapcardDomain

/// The next step after an error. It is data rather than text, because the command line suggests a
/// command where the page offers a button.
package enum NextStep: Hashable, Sendable {
    case card(CardStep)
    case trust(TrustStep)
    case tag(TagStep)
    case reader(ReaderStep)
    case request(RequestStep)
    case service(ServiceStep)
    case lottery(LotteryStep)
    case ledger(LedgerStep)
    case file(FileStep)
    /// A sentence from the code that reported the error.
    case words(String)
}

extension NextStep {
    /// A step that involves a card.
    package enum CardStep: Hashable, Sendable {
        case topUp
        case unblock
        case payOut
        case payOutOrConfirm(Money)
        /// The balance is on the card that replaced this one.
        case useReplacement
        case reissue
        case reissueTag
        case beginNewAccount
        case adopt(CardUID?)
        case adoptOrReissue
        case adoptOrOverwrite
        /// Make a card from the tag. The associated value is the tag's chip model.
        case issue(on: Chip)
        case showHistory(CardUID?)
        case showOperation(OperationID)
        /// Show the tag's previous account, because the request belongs to that account.
        case showEarlierAccount
        case showCards
    }

    /// A step for a card that is not trusted or cannot be used, or that belongs to another station.
    package enum TrustStep: Hashable, Sendable {
        case repair(CardUID)
        case repairIfKnown(CardUID)
        /// Repair the card again if its next tap shows that it is damaged.
        case repairIfRefused(CardUID)
        case blockIfUnsure(CardUID)
        case blockOrRepair(CardUID)
        case keepAndBlock(CardUID)
        case keepCopy
        case replace(CardUID?)
        case replaceIfGenuine
        case replaceIfItHappensAgain
        case useAsItIs
        case useAtItsStation
        /// Use a reader that is trusted for making cards.
        case useTrustedReader
        /// Use the card at its own station, or use that station's ledger here. The associated
        /// value is the card's currency.
        case useThere(Currency)
    }

    /// A step that involves the tag on the reader.
    package enum TagStep: Hashable, Sendable {
        case tap(CardUID?)
        case tapAgain
        case holdStill
        case liftAndTap
        case leaveOneCard
        /// Tap the card again to resolve an open operation. The associated value says why the
        /// operation is still open.
        case tapToResolve(TapcardError.Kind)
        case tapToWrite
        case useAnother
        case useAnotherOrAllowAnyChip
        case useFactoryTag
        /// Format the tag for NFC. Every bit set in its capability container is correct, but some
        /// bits still have to be set.
        case formatForNFC
        case useUnlocked
        case givePassword
        case useKnownChip
        case useSameChip
        case show
        case shortenName
        case overwrite
        case overwriteByIssuing
        /// Make a card from the tag, even though it holds something else. The associated value is
        /// the tag's chip model.
        case makeCard(on: Chip)
        case protectAgain
        case writeAgain
        case resume
    }

    /// A step that involves the reader.
    package enum ReaderStep: Hashable, Sendable {
        case diagnose
        case free
        /// Watch through the program that uses the reader.
        case share
        case plugIn
        case useAnother
    }

    /// A retry of the request, or another request in its place.
    package enum RequestStep: Hashable, Sendable {
        case checkAmount
        case showLimits
        case confirm
        case acceptBalance
        /// Repeat a voided request with a new ID.
        case again(Operation.Kind, Money)
        case useNewID
        case openShift
        case repeatWithID(OperationID)
        case repeatPayout(OperationID)
        case specifyID
        /// Make the request once more, if the customer really wants the same thing twice.
        case repeatIfIntended
        case refundAtMost(OperationID, Money)
        case allSpent
        case insteadOfRefund(Operation.Kind)
    }

    /// A step that involves the lottery, its draws, or its tickets.
    package enum LotteryStep: Hashable, Sendable {
        case forgetDraws
        case showDraws
        case waitForDraws
        case buyForNextDraw
        case buyWithAnotherCard
        case resolvePurchase
        case checkTickets
        case showTickets
        case payOutPrizeInCash(TicketID, exceedsEveryCard: Bool)
    }

    /// A step that involves another service or its response.
    package enum ServiceStep: Hashable, Sendable {
        case tryLater
        case sendNothing
        case checkAddress
        /// Confirm a service's built-in address: the name of the setting, the address, and the
        /// command that stores it.
        case confirmAddress(setting: String, address: String, command: String)
        case installClient
        case logIn
        case logInOrSetPassword
        case correctPassword
        case activateAgain
        case activateLater
        case startGame
        case startAnotherGame
        case saveGame
        case keepGuessing
    }

    /// A step that involves the ledger.
    package enum LedgerStep: Hashable, Sendable {
        case stopTakingMoney
        case restoreGoodBackup
        case restoreNewer(CardUID)
        case readCardWhenBack
        /// Wait until the ledger is back. If an offline payment was refused, the associated value
        /// is the reason.
        case waitForLedger(OfflineDecision.Reason?)
        /// Enter the top-up when the ledger is back: the customer's cash is already in the drawer.
        case addWhenBack
        case readCardWhenWritable
        case checkDisk
        /// Use the database at this address, because the ledger file was moved there.
        case useDatabase(String)
    }

    /// A step that involves one of the station's files.
    package enum FileStep: Hashable, Sendable {
        /// A file that holds secrets.
        package enum File: Hashable, Sendable { case keys, cashiers, games, tokens, connections }

        case makePrivate(File, String)
        case runAsOwner(File)
        case restore(File)
        case useNewerVersion(File)
        case makeRoom
        case checkFile
        case chooseOtherName
        case removeCashier
        case makeOwner
        case importKeys
        case importCurrentKeys
        case importKeysOrOverwrite
        case importKeysOrReplace
        case renewKeys
        case keepJournal
        case bookElsewhere
    }
}
