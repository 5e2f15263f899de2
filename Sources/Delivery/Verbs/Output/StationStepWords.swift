import TapcardCore
import TapcardDomain

extension NextStep.ServiceStep {
    var words: NextWords {
        switch self {
        case .tryLater: NextWords("try-later", "Try again later.")
        case .distrust:
            NextWords(
                "distrust-service",
                "Do not trust what answers there; check the address with tapcard config.")
        case .checkAddress:
            NextWords(
                "check-address",
                "Check the service's address with tapcard config, or ask whoever runs it.")
        case .confirmAddress(let setting, let address, let command):
            NextWords(
                "confirm-address",
                "Run this command to confirm it, or change the address in it to use another: "
                    + command,
                ["setting": setting, "address": address])
        case .installClient:
            NextWords("install-client", "Install it with apt-get install libcurl4.")
        case .logIn: NextWords("log-in", "Log in with tapcard mastermind login.")
        case .logInOrSetPassword:
            NextWords(
                "log-in-or-set-password",
                "Log in with tapcard mastermind login, or set TAPCARD_MASTERMIND_PASSWORD.")
        case .correctPassword:
            NextWords("correct-password", "Try again with the right name and password.")
        case .activateAgain:
            NextWords("activate-again", "tapcard activate asks again for the same code.")
        case .activateLater:
            NextWords(
                "activate-later",
                "Once the ledger works again, tapcard activate asks for the same code.")
        case .startGame: NextWords("start-game", "Start one with tapcard mastermind start.")
        case .startAnotherGame:
            NextWords("start-another-game", "Start another one with tapcard mastermind start.")
        case .keepGame:
            NextWords("keep-game", "tapcard mastermind start --keep puts one on it.")
        case .goOnGuessing:
            NextWords(
                "go-on-guessing",
                "Go on guessing: the number of the next answer says whether it counted.")
        }
    }
}

extension NextStep.LotteryStep {
    var words: NextWords {
        switch self {
        case .forgetDraws:
            NextWords(
                "forget-draws",
                "If the lottery has really started over there: tapcard draws --forget. Otherwise "
                    + "ask whoever runs it.")
        case .showDraws:
            NextWords("show-draws", "tapcard draws lists those that have taken place.")
        case .waitForDraws:
            NextWords("wait-for-draws", "Try again when the lottery names its draws.")
        case .buyForNextDraw:
            NextWords(
                "buy-for-next-draw", "Leave --draw out to buy for the next draw.", option: "draw")
        case .buyWithAnotherCard:
            NextWords(
                "buy-with-another-card",
                "Ask whoever runs it. If it has really started over, buy with a card that has no "
                    + "such prize.")
        case .resolvePurchase:
            NextWords(
                "resolve-purchase",
                "Ask again with the same id when the lottery answers. tapcard read resolves it "
                    + "without the lottery: paid where the card has it, not made where it has not."
            )
        case .checkTickets:
            NextWords(
                "check-tickets", "Tap the card with tapcard ticket check once the ledger is back.")
        case .showTickets:
            NextWords(
                "show-tickets",
                "tapcard tickets lists those that it has bought since it was issued; hold the card "
                    + "that bought it to the reader.")
        case .payPrizeOut(let ticket, let fitsOnNone):
            NextWords(
                "pay-prize-out",
                (fitsOnNone
                    ? "No card can hold so much: book it as paid out with "
                    : "Spend some of what is on the card and claim the prize again, or book it as "
                        + "paid out with ")
                    + "tapcard ticket claim \(ticket) --paid-out, and pay when that says so.",
                ["ticket": ticket])
        }
    }
}

extension NextStep.LedgerStep {
    var words: NextWords {
        switch self {
        case .takeNoMoney:
            NextWords("take-no-money", "Without its ledger tapcard takes and gives no money.")
        case .restoreGoodBackup:
            NextWords(
                "restore-good-backup", "Stop taking money and bring back the last good backup.")
        case .bringNewerBack(let uid):
            NextWords(
                "bring-newer-ledger-back",
                "Bring the newer ledger back, or accept the loss and write the ledger's state with "
                    + "tapcard repair --card \(uid).", ["uid": uid])
        case .readCardWhenBack:
            NextWords(
                "read-card-when-back", "Tap it again with tapcard read once the ledger is back.")
        case .waitForLedger(let reason):
            NextWords(
                "wait-for-ledger",
                // What is open may be this very payment, at another till.
                reason == .openOperation
                    ? "Try again once the ledger is back."
                    : "Try again once the ledger is back, or take cash.",
                ["because": reason?.word, "amount": reason?.left])
        case .addWhenBack:
            NextWords(
                "add-when-back", "Give the cash back, or add it once the ledger is back.")
        case .readCardWhenWritable:
            NextWords(
                "read-card-when-writable",
                "Once the ledger is back, tap the card with tapcard read: it resolves what is "
                    + "open, and tapcard history shows what was done. Do that before you repeat "
                    + "anything.")
        case .checkDisk:
            NextWords(
                "check-disk",
                "Try again. If that fails too, check the disk that the ledger is on.")
        case .useDatabase(let address):
            NextWords(
                "use-database",
                "With the login that tapcard station register gives to this station: tapcard config "
                    + "set ledger '\(address)'", ["ledger": address])
        }
    }
}

extension NextStep.FileStep {
    var words: NextWords {
        switch self {
        case .makePrivate(let file, let path):
            NextWords("make-private", "\(file.danger): chmod 600 \(path)", ["file": path])
        case .letOwnerRun(let file):
            NextWords("let-owner-run", "Let its owner run tapcard, or \(file.replacement).")
        case .restore(let file):
            NextWords(
                "restore-file",
                file.replacement.prefix(1).uppercased()
                    + file.replacement.dropFirst() + ".")
        case .useNewerVersion(.cashiers):
            NextWords(
                "use-newer-version",
                "Remove it and add the cashiers again, or use that version.")
        case .useNewerVersion(.games), .useNewerVersion(.keys):
            NextWords(
                "use-newer-version", "Use that version, or remove the file: then log in again.")
        case .makeRoom(let file):
            NextWords(
                "make-room",
                (file == .keys ? "No key was changed. " : "")
                    + "Make room or give yourself the right to write there.")
        case .chooseOtherName: NextWords("choose-other-name", "Choose another name.")
        case .removeCashier: NextWords("remove-cashier", "Remove one who has left.")
        case .lookAtCashiers:
            NextWords(
                "look-at-cashiers",
                "Make room or give yourself the right to write there, and look with tapcard "
                    + "cashiers list.")
        case .lookAtKeys:
            NextWords(
                "look-at-keys",
                "The keys are in place, but a power cut may take them away again. Check the disk, "
                    + "then look with tapcard keys list.")
        case .importKeys: NextWords("import-keys", "Bring the key with tapcard keys import.")
        case .importPresentKeys:
            NextWords(
                "import-keys",
                "At a station that has it: tapcard keys export FILE. Bring the file here: tapcard "
                    + "keys import FILE.")
        case .importTable:
            NextWords(
                "import-table",
                "Where the keys of the issuer are: tapcard keys table FILE. Bring the file here: "
                    + "tapcard keys import FILE.")
        case .importKeysOrOverwrite:
            NextWords(
                "import-keys-or-overwrite",
                "If it is a card of yours, bring its keys with tapcard keys import FILE; to write "
                    + "over it, add --overwrite to tapcard issue.")
        case .importKeysOrReplace:
            NextWords(
                "import-keys-or-replace",
                "Bring the key it was protected with (tapcard keys import), or move its balance "
                    + "to another tag with tapcard replace.")
        case .renewKeys:
            NextWords(
                "renew-keys",
                "Put the present key file in its place, or make a new key with tapcard keys "
                    + "rotate.")
        case .keepJournal:
            NextWords(
                "keep-journal",
                "Keep the file and move it away. The lines before the altered one can be booked: "
                    + "copy them with head -n, then tapcard station book COPY.")
        case .bookElsewhere:
            NextWords(
                "book-elsewhere",
                "Set the ledger for which it was written, then tapcard station book.")
        }
    }
}

extension NextStep.FileStep.File {
    /// The danger after others have read the file, and the condition for keeping it.
    fileprivate var danger: String {
        switch self {
        case .keys: "Whoever reads it can forge cards. If nobody has"
        case .cashiers: "If nobody has tried the passwords in it"
        case .games:
            "Whoever reads it can play in your name until the login expires. If nobody has"
        }
    }

    fileprivate var replacement: String {
        switch self {
        case .keys: "put the backup of your keys in its place"
        case .cashiers: "remove it and add the cashiers again"
        case .games: "remove it: then log in again"
        }
    }
}
