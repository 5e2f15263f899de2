import TapcardCore
import TapcardDomain

extension NextStep.ServiceStep {
    var words: NextWords {
        switch self {
        case .tryLater: NextWords("try-later", "Try again later.")
        case .sendNothing:
            NextWords(
                "distrust-service",
                "Do not send anything to this server, because its TLS certificate is not trusted; "
                    + "check the address in your settings: tapcard config")
        case .checkAddress:
            NextWords(
                "check-address",
                "Check the service's address with tapcard config, or ask the service's operator.")
        case .confirmAddress(let setting, let address, let command):
            NextWords(
                "confirm-address",
                "Run this command to confirm it, or change the address in the command to use "
                    + "another one: " + command,
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
            NextWords(
                "activate-again",
                "Run tapcard activate again; it sends the same code, so repeating it is safe.")
        case .activateLater:
            NextWords(
                "activate-later",
                "Once the ledger is working, run tapcard activate again; it sends the same code, "
                    + "so repeating it is safe.")
        case .startGame: NextWords("start-game", "Start one with tapcard mastermind start.")
        case .startAnotherGame:
            NextWords("start-another-game", "Start another one with tapcard mastermind start.")
        case .saveGame:
            NextWords(
                "keep-game",
                "This card has no Mastermind game; to start one and store it on the card, run: "
                    + "tapcard mastermind start --keep")
        case .keepGuessing:
            NextWords(
                "go-on-guessing",
                "The response to this guess was lost; keep guessing, and the number in the next "
                    + "response will show whether this guess counted.")
        }
    }
}

extension NextStep.LotteryStep {
    var words: NextWords {
        switch self {
        case .forgetDraws:
            NextWords(
                "forget-draws",
                "The lottery's list no longer has a draw that it had before. If the lottery really "
                    + "has been reset, run tapcard draws --forget; otherwise, contact its "
                    + "operator.")
        case .showDraws:
            NextWords(
                "show-draws", "Check the draw ID; to list past draws, run: tapcard draws")
        case .waitForDraws:
            NextWords(
                "wait-for-draws", "Wait until the lottery has held its first draw, then try again.")
        case .buyForNextDraw:
            NextWords(
                "buy-for-next-draw", "Leave out --draw to buy a ticket for the next draw.",
                option: "draw")
        case .buyWithAnotherCard:
            NextWords(
                "buy-with-another-card",
                "The lottery's list ends before a draw for which this card has a recorded prize; "
                    + "contact the lottery's operator. If the lottery has been reset, buy the "
                    + "ticket with a card that has no such prize.")
        case .resolvePurchase:
            NextWords(
                "resolve-purchase",
                "Once the lottery responds again, repeat this command with the same --operation "
                    + "ID. To decide without the lottery, run tapcard read and tap the card: the "
                    + "purchase stands if the card has the record, and is void if it does not.")
        case .checkTickets:
            NextWords(
                "check-tickets",
                "Once the ledger works again, run this and tap the card: tapcard ticket check")
        case .showTickets:
            NextWords(
                "show-tickets",
                "Tap the card that was used to buy this ticket; to list the tickets bought with a "
                    + "card since it was issued, run: tapcard tickets")
        case .payOutPrizeInCash(let ticket, let exceedsEveryCard):
            NextWords(
                "pay-prize-out",
                (exceedsEveryCard
                    ? "This prize is more than any card can hold. To pay it in cash, run "
                    : "This prize is more than the card can hold right now; spend some of the "
                        + "balance and claim again. Or, to pay it in cash, run ")
                    + "tapcard ticket claim \(ticket) --paid-out, and give the customer the cash "
                    + "only after it reports success.",
                ["ticket": ticket])
        }
    }
}

extension NextStep.LedgerStep {
    var words: NextWords {
        switch self {
        case .stopTakingMoney:
            NextWords("take-no-money", TapcardError.needsLedger + ".")
        case .restoreGoodBackup:
            NextWords(
                "restore-good-backup",
                "Stop taking payments and top-ups, and restore the last good backup.")
        case .restoreNewer(let uid):
            NextWords(
                "bring-newer-ledger-back",
                "Restore the newer ledger. If you can accept losing the newer operations, write "
                    + "this ledger's older state to the card instead: tapcard repair --card \(uid)",
                ["uid": uid])
        case .readCardWhenBack:
            NextWords(
                "read-card-when-back",
                "Once the ledger works again, run this and tap the card: tapcard read")
        case .waitForLedger(let reason):
            NextWords(
                "wait-for-ledger",
                // The open operation may be this same payment, made at another till, so the
                // customer must not pay again in cash.
                reason == .openOperation
                    ? "Try again once the ledger is back online."
                    : "Try again once the ledger is back online, or take cash.",
                ["because": reason?.word, "amount": reason?.left])
        case .addWhenBack:
            NextWords(
                "add-when-back",
                "Return the cash, or top up the card once the ledger is back online.")
        case .readCardWhenWritable:
            NextWords(
                "read-card-when-writable",
                "Once the ledger works again, run tapcard read and tap the card before you "
                    + "repeat anything; it resolves what is still open. To see the outcome, run: "
                    + "tapcard history")
        case .checkDisk:
            NextWords(
                "check-disk",
                "Try again. If it fails again, check the disk that holds the ledger.")
        case .useDatabase(let address):
            NextWords(
                "use-database",
                "Ask the owner of the ledger for a login for this machine (tapcard servers add), "
                    + "then run this command here: tapcard config set ledger "
                    + "'\(address)'",
                ["ledger": address])
        }
    }
}

extension NextStep.FileStep {
    var words: NextWords {
        switch self {
        case .makePrivate(let file, let path):
            NextWords("make-private", "\(file.danger): chmod 600 \(path)", ["file": path])
        case .runAsOwner(let file):
            NextWords(
                "run-as-owner", "Start tapcard as the owner of the file, or \(file.replacement).")
        case .restore(let file):
            NextWords(
                "restore-file",
                file.replacement.prefix(1).uppercased()
                    + file.replacement.dropFirst() + ".")
        case .useNewerVersion(.cashiers):
            NextWords(
                "use-newer-version",
                "Use the newer version of tapcard that wrote the file, or delete the file and add "
                    + "the cashiers again.")
        case .useNewerVersion(.tokens):
            NextWords(
                "use-newer-version",
                "Use the newer version of tapcard that wrote the file, or delete the file and add "
                    + "the tokens again.")
        case .useNewerVersion(.connections):
            NextWords(
                "use-newer-version",
                "Use the newer version of tapcard that wrote the file, or delete the file and "
                    + "connect the reader with a new code.")
        case .useNewerVersion(.games):
            NextWords(
                "use-newer-version",
                "Use the newer version of tapcard that wrote the file, or delete the file and log "
                    + "in again.")
        case .useNewerVersion(.keys):
            NextWords(
                "use-newer-version", "Use the newer version of tapcard that wrote the file.")
        case .makeRoom:
            NextWords("make-room", "Free up disk space, or get permission to write the file.")
        case .chooseOtherName: NextWords("choose-other-name", "Choose another name.")
        case .makeOwner:
            NextWords(
                "make-owner", "Make someone else an owner first: tapcard cashiers role NAME owner")
        case .removeCashier:
            NextWords(
                "remove-cashier",
                "Remove a cashier who no longer works here: tapcard cashiers remove NAME")
        case .checkFile:
            NextWords("check-file", "Check the disk that holds the file, then the file itself.")
        case .importKeys: NextWords("import-keys", "Import the keys: tapcard keys import FILE")
        case .importCurrentKeys:
            NextWords(
                "import-keys",
                "Run tapcard keys export FILE on the other server, then import the file here: "
                    + "tapcard keys import FILE")
        case .importKeysOrOverwrite:
            NextWords(
                "import-keys-or-overwrite",
                "If this is one of your own cards, import its key with tapcard keys import FILE. "
                    + "If not, overwrite the tag: tapcard issue --overwrite")
        case .importKeysOrReplace:
            NextWords(
                "import-keys-or-replace",
                "Import the key behind the tag's write password with tapcard keys import, or move "
                    + "the balance to another tag: tapcard replace")
        case .renewKeys:
            NextWords(
                "renew-keys",
                "The key file here is out of date. Put the current one back, or make a new key: "
                    + "tapcard keys rotate")
        case .keepJournal:
            NextWords(
                "keep-journal",
                "Keep the journal, but move it somewhere else. The lines before the altered one "
                    + "can still be booked: copy them with head -n, then run: tapcard offline book "
                    + "COPY")
        case .bookElsewhere:
            NextWords(
                "book-elsewhere",
                "Switch to the ledger that this journal belongs to, then run: tapcard offline book")
        }
    }
}

extension NextStep.FileStep.File {
    /// What someone who has read the file can do, and when the file can still be used.
    fileprivate var danger: String {
        switch self {
        case .keys:
            "Anyone who has read this file can forge cards. If you are sure that nobody has, run"
        case .cashiers:
            "Anyone who has read this file can try to guess the cashiers' passwords. If you are "
                + "sure that nobody has, run"
        case .games:
            "Anyone who has read this file can play under the user's name until the login expires. "
                + "If you are sure that nobody has, run"
        case .tokens:
            "This file controls which programs can use the readers. To make it private, run"
        case .connections:
            "Anyone who has read this file can connect their own reader as this till. If you are "
                + "sure that nobody has, run"
        }
    }

    /// How to get a usable file.
    fileprivate var replacement: String {
        switch self {
        case .keys: "restore the backup of the keys"
        case .cashiers: "delete the file and add the cashiers again"
        case .games: "delete the file and log in again"
        case .tokens: "delete the file and add the tokens again"
        case .connections: "delete the file and connect the reader with a new code"
        }
    }
}
