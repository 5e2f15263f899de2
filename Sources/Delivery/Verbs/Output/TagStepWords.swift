import Ledger
import TapcardCore
import TapcardDomain

extension NextStep.TagStep {
    var words: NextWords {
        switch self {
        case .hold(let uid):
            NextWords(
                "hold",
                uid.map { "Hold card \($0) to the reader." }
                    ?? "Hold a card to the reader; --timeout sets how long to wait.",
                ["uid": uid])
        case .holdAgain: NextWords("hold-again", "Hold it to the reader again.")
        case .holdStill: NextWords("hold-still", "Hold it still and try again.")
        case .liftAndTap: NextWords("lift-and-tap", "Lift the card and tap it again.")
        case .leaveOne: NextWords("leave-one", "Leave only one of them there.")
        case .tapToResolve(let kind):
            NextWords("tap-to-resolve", "Tap the card again to resolve it.", ["because": kind.word])
        case .tapToWrite: NextWords("tap-to-write", "Tap the card again to write it.")
        case .useAnother: NextWords("use-another-tag", "Use another tag.")
        case .useAnotherOrAnyChip:
            NextWords(
                "use-another-tag-or-any-chip",
                "Use another tag, or take it all the same with --any-chip.", option: "any-chip")
        case .useFactoryTag:
            NextWords(
                "use-factory-tag",
                "Such bits can never be taken back; use a tag from the factory.")
        case .formatForNFC:
            NextWords(
                "format-for-nfc",
                "Format it with a phone, for example with the app NFC Tools, or use another tag.")
        case .useUnlocked:
            NextWords("use-unlocked-tag", "Lock bits can never be taken back; use another tag.")
        case .useKnownChip: NextWords("use-known-chip", "Use \(Chip.choice).")
        case .useSameChip: NextWords("use-same-chip", "Use a tag of that make.")
        case .show: NextWords("show-tag", "tapcard tag info shows what this one is.")
        case .shortenName:
            NextWords(
                "shorten-name", "Use a shorter name, none at all, or a tag with more memory.")
        case .overwrite:
            NextWords(
                "overwrite", "To write over it all the same, add --overwrite.", option: "overwrite")
        case .overwriteByIssuing:
            NextWords(
                "overwrite-by-issuing", "To write over it, add --overwrite to tapcard issue.")
        case .makeCard(let chip):
            NextWords(
                "overwrite-by-demo",
                "Use another tag, or make this one a card with tapcard issue.",
                ["chip": chip])
        case .protectAgain:
            NextWords("protect-again", "tapcard tag protect sets its settings back.")
        case .goOn:
            NextWords("go-on", "Then repeat the command: it goes on where it stopped.")
        }
    }
}

extension NextStep.ReaderStep {
    var words: NextWords {
        switch self {
        case .diagnose:
            NextWords(
                "diagnose-reader",
                "tapcard doctor says why and what to do; tapcard --reader sim works without one.")
        case .free:
            NextWords(
                "free-reader",
                "Stop the other program, or wait until it has finished; tapcard doctor says which "
                    + "it is.")
        case .plugIn:
            NextWords(
                "plug-reader-in",
                "Plug the reader in again; tapcard doctor says what is wrong with it.")
        case .useAnother:
            NextWords(
                "use-another-reader",
                "It reads and charges cards that the ledger knows; for this, use a reader that "
                    + "passes on every command.")
        }
    }
}

extension NextStep.RequestStep {
    var words: NextWords {
        switch self {
        case .checkAmount: NextWords("check-amount", "Check the amount.")
        case .showLimits: NextWords("show-limits", "tapcard config shows the limits.")
        case .confirm:
            NextWords("confirm", "If it is right, repeat with --yes.", option: "yes")
        case .acceptBalance:
            NextWords(
                "accept-balance",
                "Enter the balance shown on the tag, or leave it out to start at 0.")
        case .again(let kind, let amount):
            NextWords(
                "again", kind.wayAgain(amount), ["kind": kind.rawValue, "amount": amount])
        case .useNewID: NextWords("use-new-id", "Use a new id for a new request.")
        case .repeatWithID(let id):
            NextWords(
                "repeat-with-id",
                "To repeat the same request, add --operation \(id): it never happens twice.",
                ["operation": id], option: "operation")
        case .repeatPayout(let id):
            NextWords(
                "repeat-payout",
                "Once the ledger is back, repeat the request with --operation \(id): it books "
                    + "the prize once and says so.", ["operation": id], option: "operation")
        case .nameID:
            NextWords(
                "name-id", "A request with --operation can be repeated safely.", option: "operation"
            )
        case .onceMore:
            NextWords(
                "once-more",
                "If the customer really wants it twice, repeat the command with --again.",
                option: "again")
        case .refundAtMost(let id, let amount):
            NextWords(
                "refund-at-most",
                "At most \(amount.shown) can be taken back: tapcard refund \(id) \(amount)",
                ["operation": id, "amount": amount])
        case .allSpent:
            NextWords("all-spent", "Nothing of it can be taken back: it was spent.")
        case .insteadOfRefund(let kind):
            NextWords("instead-of-refund", kind.insteadOfRefund, ["kind": kind.rawValue])
        }
    }
}

extension Operation.Kind {
    /// The alternative for an operation that cannot be refunded; payments and top-ups can.
    fileprivate var insteadOfRefund: String {
        switch self {
        case .issue, .adopt, .replace: "To pay out what is on the card: tapcard close"
        case .ticket: "A lottery ticket cannot be returned."
        case .claim, .payout: "A prize cannot be taken back."
        case .refund, .reverse, .close:
            "A refund or payout cannot be reversed. tapcard pay and tapcard add move the amount "
                + "again."
        case .pay, .add, .offline, .scratch, .activate, .ask, .game, .reseal, .protect, .unprotect,
            .block,
            .unblock, .forget:
            "It moved no money. tapcard history shows the payments and top-ups."
        }
    }

    /// The command that repeats a voided operation under a new id.
    fileprivate func wayAgain(_ amount: Money) -> String {
        switch self {
        case .pay, .offline: "To pay now: tapcard pay \(amount)"
        case .add: "To add it now: tapcard add \(amount)"
        case .ticket: "To buy one now: tapcard ticket buy"
        case .close: "To pay out now: tapcard close"
        case .scratch: "To scratch it now: tapcard scratch"
        case .activate: "To activate it now: tapcard activate"
        case .refund, .reverse, .claim, .issue, .adopt, .replace, .ask, .payout, .game, .reseal,
            .protect, .unprotect, .block, .unblock, .forget:
            "Try again, under a new id."
        }
    }
}
