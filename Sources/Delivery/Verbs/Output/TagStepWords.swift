import Ledger
import TapcardCore
import TapcardDomain

extension NextStep.TagStep {
    var words: NextWords {
        switch self {
        case .tap(let uid):
            NextWords(
                "hold",
                uid.map { "Tap card \($0)." }
                    ?? "Tap a card; --timeout sets how long tapcard waits for it.",
                ["uid": uid])
        case .tapAgain: NextWords("hold-again", "Tap the card again.")
        case .holdStill: NextWords("hold-still", "Tap again and keep the card on the reader.")
        case .liftAndTap: NextWords("lift-and-tap", "Lift the card and tap it again.")
        case .leaveOneCard: NextWords("leave-one", "Tap again with only one card on the reader.")
        case .tapToResolve(let kind):
            NextWords(
                "tap-to-resolve", "Tap the card again to resolve the operation.",
                ["because": kind.word])
        case .tapToWrite: NextWords("tap-to-write", "Tap the card again to write it.")
        case .useAnother: NextWords("use-another-tag", "Use another tag.")
        case .useAnotherOrAllowAnyChip:
            NextWords(
                "use-another-tag-or-any-chip",
                "The chip may be counterfeit; use another tag, or accept this one with --any-chip.",
                option: "any-chip")
        case .useFactoryTag:
            NextWords(
                "use-factory-tag",
                "One-time bits in the tag's capability container are permanently set to the wrong "
                    + "values; use a new, unused tag.")
        case .formatForNFC:
            NextWords(
                "format-for-nfc",
                "Format it with a phone, for example with the NFC Tools app, or use another tag.")
        case .useUnlocked:
            NextWords("use-unlocked-tag", "The tag is permanently locked; use another tag.")
        case .givePassword:
            NextWords(
                "give-password", "If you know the tag's password, add --password-file FILE.",
                option: "password-file")
        case .useKnownChip: NextWords("use-known-chip", "Use \(Chip.choice).")
        case .useSameChip:
            NextWords("use-same-chip", "Use a tag with the same chip model as the dump.")
        case .show: NextWords("show-tag", "To see what is on the tag, run: tapcard tag info")
        case .shortenName:
            NextWords(
                "shorten-name", "Use a shorter name, none at all, or a tag with more memory.")
        case .overwrite:
            NextWords(
                "overwrite",
                "To overwrite the tag and destroy its content, add --overwrite to this command.",
                option: "overwrite")
        case .overwriteByIssuing:
            NextWords(
                "overwrite-by-issuing",
                "To overwrite the tag and destroy its content, run: tapcard issue --overwrite")
        case .makeCard(let chip):
            NextWords(
                "overwrite-by-demo",
                "Use another tag, or make this one a card: tapcard issue",
                ["chip": chip])
        case .writeAgain:
            NextWords(
                "write-again", "Put the tag back on the reader and run the same command again.")
        case .protectAgain:
            NextWords(
                "protect-again",
                "To restore the protection settings on the tag, run: tapcard tag protect")
        case .resume:
            NextWords(
                "go-on", "Then run the same command again; it will pick up where it left off.")
        }
    }
}

extension NextStep.ReaderStep {
    var words: NextWords {
        switch self {
        case .diagnose:
            NextWords(
                "diagnose-reader",
                "To find out why and how to fix it, run tapcard doctor; to work without a reader, "
                    + "run: tapcard --reader sim")
        case .free:
            NextWords(
                "free-reader",
                "Close the program that is using the reader, or wait for it to finish; to find out "
                    + "which one it is, run: tapcard doctor")
        case .share:
            NextWords(
                "share-reader",
                "To watch tags while tapcard serve uses the reader, run: tapcard watch --from URL "
                    + "--token-file FILE")
        case .plugIn:
            NextWords(
                "plug-reader-in",
                "Unplug the reader and plug it in again; to find out what is wrong with it, run: "
                    + "tapcard doctor")
        case .useAnother:
            NextWords(
                "use-another-reader",
                "This reader can read and charge cards that are in the ledger, but it forwards "
                    + "only some commands; use another reader model for this.")
        }
    }
}

extension NextStep.RequestStep {
    var words: NextWords {
        switch self {
        case .checkAmount: NextWords("check-amount", "Check the amount.")
        case .showLimits: NextWords("show-limits", "To see the limits, run: tapcard config")
        case .confirm:
            NextWords("confirm", "If it is right, repeat with --yes.", option: "yes")
        case .acceptBalance:
            NextWords(
                "accept-balance",
                "Enter the balance shown on the tag, or leave out --accept-balance to start at 0.")
        case .again(let kind, let amount):
            NextWords(
                "again", kind.commandToRepeat(amount), ["kind": kind.rawValue, "amount": amount])
        case .openShift:
            NextWords("open-shift", "To open a shift, run: tapcard shift open --float AMOUNT")
        case .useNewID: NextWords("use-new-id", "Use a new ID for a new request.")
        case .repeatWithID(let id):
            NextWords(
                "repeat-with-id",
                "To repeat the command safely, add --operation \(id); it will take effect at most "
                    + "once.",
                ["operation": id], option: "operation")
        case .repeatPayout(let id):
            NextWords(
                "repeat-payout",
                "Once the ledger works again, repeat the command with --operation \(id); the prize "
                    + "will be recorded only once, but do not pay out any cash before you see the "
                    + "result.",
                ["operation": id], option: "operation")
        case .specifyID:
            NextWords(
                "specify-id", "A request with --operation can be repeated safely.",
                option: "operation"
            )
        case .repeatIfIntended:
            NextWords(
                "once-more",
                "If the customer really wants this done twice, repeat the command with --again.",
                option: "again")
        case .refundAtMost(let id, let amount):
            NextWords(
                "refund-at-most",
                "Part of this top-up has been spent, so at most \(amount.shown) can be reversed: "
                    + "tapcard refund \(id) \(amount)",
                ["operation": id, "amount": amount])
        case .allSpent:
            NextWords(
                "all-spent", "All of this top-up has been spent, so none of it can be reversed.")
        case .insteadOfRefund(let kind):
            NextWords("instead-of-refund", kind.insteadOfRefund, ["kind": kind.rawValue])
        }
    }
}

extension Operation.Kind {
    /// What to do instead of refunding an operation that cannot be refunded.
    fileprivate var insteadOfRefund: String {
        switch self {
        case .issue, .adopt, .replace:
            "Issuing, converting, or replacing a card cannot be refunded. To pay out the card's "
                + "balance, run: tapcard close"
        case .ticket: "A lottery ticket cannot be refunded."
        case .claim, .payout: "A prize cannot be refunded."
        case .refund, .reverse, .close:
            "A refund, reversal, or payout cannot be refunded. Move the amount again with tapcard "
                + "pay or tapcard add."
        case .credit:
            "A credit for returned deposits cannot be refunded. To take it back, run: tapcard pay"
        case .pay, .add, .offline, .scratch, .activate, .ask, .game, .reseal, .protect, .unprotect,
            .block, .unblock, .forget:
            "This operation was neither a payment nor a top-up, so there is nothing to refund. To "
                + "find payments and top-ups, run: tapcard history"
        }
    }

    /// The command that repeats a voided operation with a new ID.
    fileprivate func commandToRepeat(_ amount: Money) -> String {
        switch self {
        case .pay, .offline: "To pay now: tapcard pay \(amount)"
        case .add: "To add it now: tapcard add \(amount)"
        case .ticket: "To buy one now: tapcard ticket buy"
        case .close: "To pay out now: tapcard close"
        case .scratch: "To scratch it now: tapcard scratch"
        case .activate: "To activate it now: tapcard activate"
        case .credit, .refund, .reverse, .claim, .issue, .adopt, .replace, .ask, .payout, .game,
            .reseal,
            .protect, .unprotect, .block, .unblock, .forget:
            "The request with this ID was already tried and is void; to try again, use a new "
                + "operation ID or none."
        }
    }
}
