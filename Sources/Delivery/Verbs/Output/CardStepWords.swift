import Ledger
import TapcardCore
import TapcardDomain

extension NextStep.CardStep {
    var words: NextWords {
        switch self {
        case .topUp: NextWords("top-up", "Top up with tapcard add, or charge less.")
        case .unblock:
            NextWords(
                "unblock",
                "Payments and top-ups are refused until an operator unblocks the card: tapcard "
                    + "unblock")
        case .payOut: NextWords("pay-out", "Pay out the balance with tapcard close first.")
        case .payOutOrConfirm(let balance):
            NextWords(
                "pay-out-or-confirm",
                "Pay out the balance with tapcard close first, or give the customer "
                    + "\(balance.shown) and repeat with --yes.",
                ["amount": balance], option: "yes")
        case .useReplacement:
            NextWords("use-replacement", "Use the new card; the balance is on it.")
        case .reissue:
            NextWords("reissue", "To reuse this card as a new one, run: tapcard issue --reissue")
        case .reissueTag:
            NextWords(
                "reissue-tag", "To reuse this tag as a new card, run: tapcard issue --reissue")
        case .beginNewAccount:
            NextWords(
                "begin-new-account",
                "Repeat this command with --reissue to close the old account, pay out its balance, "
                    + "and start a new one.",
                option: "reissue")
        case .adopt(let uid):
            NextWords(
                "adopt",
                uid == nil
                    ? "Run tapcard adopt to add a card that is not in this ledger."
                    : "Run tapcard adopt to add this card to this ledger.",
                ["uid": uid])
        case .adoptOrReissue:
            NextWords(
                "adopt-or-reissue",
                "Run tapcard adopt to add the card to this ledger, or repeat this command with "
                    + "--reissue to discard its old content.",
                option: "reissue")
        case .adoptOrOverwrite:
            NextWords(
                "adopt-or-overwrite",
                "Run tapcard adopt to add the card to this ledger, or repeat this command with "
                    + "--overwrite to discard its old content.",
                option: "overwrite")
        case .issue(let chip):
            NextWords(
                "issue",
                "Run tapcard demo to turn this blank tag into the demo card (Amanda Gonzalez, ID "
                    + "1, balance 0), or tapcard issue to make a card of your own.",
                ["chip": chip])
        case .showHistory(let uid):
            NextWords(
                "show-history",
                uid.map { "To see what was done, run: tapcard history --card \($0)" }
                    ?? "To see what was done, run: tapcard history", ["uid": uid])
        case .showOperation(let id):
            NextWords(
                "show-operation", "To see what operation \(id) did, run: tapcard history",
                ["operation": id])
        case .showEarlierAccount:
            NextWords(
                "show-earlier-account",
                "To see what was done on this tag's earlier account, run: tapcard history")
        case .showCards:
            NextWords(
                "show-cards",
                "Check the card number; to see the cards in this ledger, run: tapcard history")
        }
    }
}

extension NextStep.TrustStep {
    var words: NextWords {
        switch self {
        case .repair(let uid):
            NextWords(
                "repair",
                "An operator can rewrite the card from the ledger and make it valid: tapcard "
                    + "repair --card \(uid)",
                ["uid": uid])
        case .repairIfKnown(let uid):
            NextWords(
                "repair-if-known",
                "Once you are sure that this is the original, an operator can rewrite it from the "
                    + "ledger and make it valid: tapcard repair --card \(uid)",
                ["uid": uid])
        case .repairIfRefused(let uid):
            NextWords(
                "repair-if-refused",
                "If the card is then refused, an operator can repair it: tapcard "
                    + "repair --card \(uid)",
                ["uid": uid])
        case .blockIfUnsure(let uid):
            NextWords(
                "block-in-doubt",
                "If you are not sure that this is the original, block it with tapcard block --card "
                    + "\(uid); if you are sure, run tapcard repair --card \(uid), which makes this "
                    + "tag the valid one, even if it is a copy.",
                ["uid": uid])
        case .blockOrRepair(let uid):
            NextWords(
                "block-or-repair",
                "Block the card with tapcard block --card \(uid), or make this tag the valid one: "
                    + "tapcard repair --card \(uid)",
                ["uid": uid])
        case .keepAndBlock(let uid):
            NextWords(
                "keep-and-block",
                "Keep the card, and block it with tapcard block --card \(uid).", ["uid": uid])
        case .keepCopy:
            NextWords(
                "keep-copy",
                "This tag is a copy; keep it, and do not hand it back. The real card still works "
                    + "and needs no action.")
        case .replace(let uid):
            NextWords(
                "replace",
                uid.map {
                    "The balance is safe in the ledger; put another tag on the reader and move the "
                        + "balance to it: tapcard replace --card \($0)"
                } ?? "Move the card's balance to another tag with tapcard replace.", ["uid": uid])
        case .replaceIfGenuine:
            NextWords(
                "replace-if-genuine",
                "If this tag is the real card, move the balance to a new tag: tapcard replace")
        case .replaceIfItHappensAgain:
            NextWords(
                "replace-if-it-repeats",
                "If this error happens at every tap, move the balance to a new tag: tapcard "
                    + "replace")
        case .useAsItIs:
            NextWords(
                "use-as-it-is",
                "Use it as it is, or move its balance to another tag with tapcard replace.")
        case .useAtItsStation:
            NextWords("use-at-its-server", "Use it where it was issued.")
        case .useTrustedReader:
            NextWords(
                "use-trusted-reader",
                "Use a reader on the server itself, or a till that was added with --trusted.")
        case .useThere(let currency):
            NextWords(
                "use-there",
                "The card is genuine, but its currency is \(currency.code); use it where that "
                    + "currency is accepted. To accept it here, specify the card's ledger with "
                    + "--ledger LOCATION, or restore a copy of that ledger: tapcard restore-backup "
                    + "FILE",
                ["currency": currency.code])
        }
    }
}
