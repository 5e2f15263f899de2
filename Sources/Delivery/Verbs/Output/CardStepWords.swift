import Ledger
import TapcardCore
import TapcardDomain

extension NextStep.CardStep {
    var words: NextWords {
        switch self {
        case .topUp: NextWords("top-up", "Top up with tapcard add, or charge less.")
        case .unblock:
            NextWords("unblock", "An operator can allow it again with tapcard unblock.")
        case .payOut: NextWords("pay-out", "Pay it out with tapcard close first.")
        case .payOutOrConfirm(let balance):
            NextWords(
                "pay-out-or-confirm",
                "Pay it out with tapcard close first, or hand out \(balance.shown) and repeat with "
                    + "--yes.", ["amount": balance], option: "yes")
        case .useReplacement: NextWords("use-replacement", "Its money is on the other card.")
        case .reissue:
            NextWords("reissue", "It can become a new card with tapcard issue --reissue.")
        case .reissueTag:
            NextWords("reissue-tag", "Its tag can become a new card with tapcard issue --reissue.")
        case .beginNewAccount:
            NextWords(
                "begin-new-account", "To close that account and begin a new one, add --reissue.",
                option: "reissue")
        case .adopt(let uid):
            NextWords(
                "adopt",
                "tapcard adopt takes "
                    + (uid == nil ? "over a card that this ledger does not know." : "it over."),
                ["uid": uid])
        case .adoptOrReissue:
            NextWords(
                "adopt-or-reissue", "Take it over with tapcard adopt, or add --reissue.",
                option: "reissue")
        case .adoptOrOverwrite:
            NextWords(
                "adopt-or-overwrite", "Take it over with tapcard adopt, or add --overwrite.",
                option: "overwrite")
        case .issue(let chip):
            NextWords(
                "issue",
                "Write the demo user with tapcard demo, or a card of your own with tapcard issue.",
                ["chip": chip])
        case .showHistory(let uid):
            NextWords(
                "show-history",
                uid.map { "Look at tapcard history --card \($0)." }
                    ?? "tapcard history shows the operations.", ["uid": uid])
        case .showOperation(let id):
            NextWords(
                "show-operation", "tapcard history shows operation \(id).", ["operation": id])
        case .showEarlierAccount:
            NextWords("show-earlier-account", "tapcard history shows the operations.")
        case .showCards:
            NextWords("show-cards", "tapcard history shows the cards that it knows.")
        }
    }
}

extension NextStep.TrustStep {
    var words: NextWords {
        switch self {
        case .repair(let uid):
            NextWords(
                "repair", "An operator can write it again with tapcard repair --card \(uid).",
                ["uid": uid])
        case .repairIfKnown(let uid):
            NextWords(
                "repair-if-known",
                "If you know the card, write it again with tapcard repair --card \(uid).",
                ["uid": uid])
        case .blockInDoubt(let uid):
            NextWords(
                "block-in-doubt",
                "If unsure, block it with tapcard block --card \(uid); tapcard repair --card \(uid) "
                    + "makes this card the valid one.", ["uid": uid])
        case .blockOrRepair(let uid):
            NextWords(
                "block-or-repair",
                "Block it with tapcard block --card \(uid), or write this one again with tapcard "
                    + "repair --card \(uid).", ["uid": uid])
        case .keepAndBlock(let uid):
            NextWords(
                "keep-and-block",
                "Keep the card, and block it with tapcard block --card \(uid).", ["uid": uid])
        case .keepCopy:
            NextWords("keep-copy", "Keep the tag. The card it was copied from is not to blame.")
        case .replace(let uid):
            NextWords(
                "replace",
                uid.map {
                    "What this ledger holds for the tag moves to another one with tapcard replace "
                        + "--card \($0)."
                } ?? "Move the card's balance to another tag with tapcard replace.", ["uid": uid])
        case .replaceIfGenuine:
            NextWords(
                "replace-if-genuine",
                "If this is the card, move its balance to another tag with tapcard replace.")
        case .replaceIfItRepeats:
            NextWords(
                "replace-if-it-repeats",
                "If it says so each time, move the card's balance to another tag with tapcard "
                    + "replace.")
        case .useAsItIs:
            NextWords(
                "use-as-it-is",
                "Use it as it is, or move its balance to another tag with tapcard replace.")
        case .useAtItsStation:
            NextWords("use-at-its-station", "Use it at the station that issued it.")
        case .useAtIssuerStation:
            NextWords(
                "use-at-issuer-station", "Do it at a station that has the keys of the issuer.")
        case .useThere(let currency):
            NextWords(
                "use-there",
                "Use it there. If this station should take \(currency.code), name the ledger of "
                    + "that station with --ledger, or bring a copy with tapcard restore-backup "
                    + "FILE.", ["currency": currency.code])
        }
    }
}
