// The page's texts for the next steps that the server names, and for refusals whose own texts are
// for operators.

import { shown } from "./words.js";

const OPERATOR = "Ask the operator.";
const CHECK_ADDRESS = "Ask the operator to check the service's address.";
const LOTTERY_BEGAN = "Ask the operator whether the lottery has started over.";
const LOG_IN = "Log in to Mastermind.";
const NEW_GAME = "Start a new game.";
const HISTORY = "The history shows what was done.";
const OTHER_TAG = "Use another tag.";
const IN_DOUBT = "If unsure, block it; Repair in Card tools makes this card the valid one.";
const REPLACE = "move its balance to another tag with Replace in Card tools.";

/** An empty text marks a step that the page takes itself or offers with a button. */
export const steps = {
  "top-up": "Top up first, or charge less.",
  unblock: "To unblock it, use Card tools.",
  "pay-out": "Pay it out in Card tools first.",
  "pay-out-or-confirm": "Pay it out in Card tools first.",
  "use-replacement": "Its money is on the other card.",
  reissue: "It can be issued again.",
  "reissue-tag": "Its tag can be issued again.",
  "begin-new-account": "Convert it in Card tools, or start a new account on it.",
  adopt: "Convert it in Card tools.",
  "adopt-or-reissue": "Convert it in Card tools, or start a new account on it.",
  "adopt-or-overwrite": "Convert it in Card tools, or overwrite it.",
  issue: "Write the demo user, or issue a card.",
  "show-history": ({ uid }) => (uid ? "Look at its history." : HISTORY),
  "show-operation": HISTORY,
  "show-earlier-account": HISTORY,
  "show-cards": "The history shows the known cards.",

  repair: "Use Repair in Card tools, with its number.",
  "repair-if-known": "If you know the card, use Repair in Card tools.",
  "block-in-doubt": IN_DOUBT,
  "block-or-repair": "Block it, or use Repair in Card tools, with its number.",
  "keep-and-block": "Keep the card, and block it in Card tools.",
  "keep-copy": "Keep the tag. The original card is not affected.",
  replace: "Move its balance to another tag with Replace in Card tools.",
  "replace-if-genuine": `If this is the card, ${REPLACE}`,
  "replace-if-it-repeats": `If this happens every time, ${REPLACE}`,
  "use-as-it-is": `Use it as it is, or ${REPLACE}`,
  "use-at-its-station": "Use it at the station that issued it.",
  "use-at-issuer-station": "Use another till.",
  "use-there": "Use it there.",

  hold: ({ uid }) => `Hold ${uid ? "that" : "a"} card to the reader and try again.`,
  "hold-again": "Hold the card to the reader and try again.",
  "hold-still": "Hold it still and try again.",
  "lift-and-tap": "Lift the card, hold it to the reader, and try again.",
  "leave-one": "Leave only one of them there.",
  "tap-to-resolve": "Tap the card again to finish it.",
  "tap-to-write": "Tap the card again to write it.",
  "use-another-tag": OTHER_TAG,
  "use-another-tag-or-any-chip": OTHER_TAG,
  "use-factory-tag": "Use a tag from the factory.",
  "format-for-nfc": "Format it with a phone, or use another tag.",
  "use-unlocked-tag": OTHER_TAG,
  "use-known-chip": "Use NTAG213, NTAG215, NTAG216 or NTAG424.",
  "use-same-chip": "Use a tag of that make.",
  "show-tag": "",
  "shorten-name": "Use a shorter name, none at all, or a tag with more memory.",
  overwrite: "",
  "overwrite-by-issuing": "",
  "overwrite-by-demo": "Use another tag, or issue a card on it.",
  "protect-again": OPERATOR,
  "go-on": "Then try again. It continues where it stopped.",

  "diagnose-reader": "Health shows why, and what to do.",
  "free-reader": "Close the other program, or wait until it has finished. Health shows what to do.",
  "plug-reader-in": "Unplug the reader and plug it in again. Health shows what is wrong.",
  "use-another-reader": "Use another model of reader.",

  "check-amount": "Check the amount.",
  "show-limits": "",
  confirm: "",
  "accept-balance": "Enter the balance shown on the tag, or leave it empty to start at 0.",
  again: "Try again.",
  "use-new-id": "Try again.",
  "repeat-with-id": "",
  "repeat-payout": "Do not pay out until this is booked.",
  "name-id": "",
  "once-more": "",
  "refund-at-most": ({ amount }) => `At most ${shown(amount)} can be given back.`,
  "all-spent": "It was already spent, so it cannot be undone.",
  "instead-of-refund": "",

  "try-later": "Try again later.",
  "distrust-service": CHECK_ADDRESS,
  "check-address": CHECK_ADDRESS,
  "confirm-address": "Ask the operator to confirm the service's address.",
  "install-client": OPERATOR,
  "log-in": LOG_IN,
  "log-in-or-set-password": LOG_IN,
  "correct-password": "Try again with the right name and password.",
  "activate-again": "Activate it again. The same code is used.",
  "activate-later": "Activate it again once the ledger works again.",
  "start-game": NEW_GAME,
  "start-another-game": NEW_GAME,
  "keep-game": NEW_GAME,
  "go-on-guessing": "Keep guessing. The number of the next answer shows whether it counted.",

  "forget-draws": LOTTERY_BEGAN,
  "show-draws": "The list shows past draws.",
  "wait-for-draws": "Try again once the lottery publishes its draws.",
  "buy-for-next-draw": "Buy for the next draw.",
  "buy-with-another-card": LOTTERY_BEGAN,
  "resolve-purchase": "Try again once the lottery answers.",
  "check-tickets": "Check the card's tickets once the ledger is back.",
  "show-tickets": "Hold the card that bought it to the reader and try again.",
  "pay-prize-out": "Pay it out of the drawer instead.",

  "take-no-money": "Do not take or hand out money.",
  "restore-good-backup": "Stop taking money.",
  "bring-newer-ledger-back": OPERATOR,
  "read-card-when-back": "Tap it again once the ledger is back.",
  "add-when-back": "Give the cash back, or add it once the ledger is back.",
  "wait-for-ledger": "Try again once the ledger is back, or take cash.",
  "read-card-when-writable":
    "Once the ledger is back, tap the card before you repeat anything.",
  "check-disk": OPERATOR,
  "use-database": OPERATOR,

  "make-private": OPERATOR,
  "let-owner-run": OPERATOR,
  "restore-file": OPERATOR,
  "use-newer-version": OPERATOR,
  "make-room": OPERATOR,
  "choose-other-name": "Choose another name.",
  "remove-cashier": OPERATOR,
  "look-at-cashiers": OPERATOR,
  "look-at-keys": OPERATOR,
  "import-keys": OPERATOR,
  "import-table": OPERATOR,
  "import-keys-or-overwrite": OPERATOR,
  "import-keys-or-replace": OPERATOR,
  "renew-keys": OPERATOR,
  "keep-journal": OPERATOR,
  "book-elsewhere": OPERATOR,

  "ask-again-soon": "Try again in a moment.",
  "ask-operator": OPERATOR,
  "name-till": "Choose a till.",
  "close-pages": "Close some pages.",
  "log-in-as-cashier": "",
  "look-or-repeat": "Check the history before you repeat it.",
  "open-printed-address": OPERATOR,
  "open-session": "",
  "send-json": "",
  "try-again": "Try again.",
  "try-again-in": ({ seconds }) => `Try again in ${seconds} s.`,
  "wait-for-operation": "Try again in a moment.",
};

/** Steps that end only when the reader is back. */
export const OF_READER = ["diagnose-reader", "free-reader", "plug-reader-in"];

/** The texts of a refusal, or of a refusal with this step: what happened, and what to do. */
export const refusals = {
  "copied": ["This is a copy.", "Keep it; the original card is not affected."],
  "forged": ["This card was forged."],
  "forged repair-if-known": ["This card's key is no longer valid."],
  "forged overwrite-by-issuing": ["This card's key is no longer valid."],
  "forged import-keys-or-overwrite": ["This card is from another business, or forged.", OPERATOR],
  "rolled-back": ["This card is out of date."],
  "damaged": ["The card cannot be read."],
  "damaged block-in-doubt": ["The data on this card is out of date.", IN_DOUBT],
  "key-missing": ["This station does not have this card's key.", OPERATOR],
  "key-missing use-another-tag": ["This card is from another business.", "Do not keep trying it."],
  "key-missing replace-if-genuine": ["This may be a copy."],
  "key-missing use-at-issuer-station": ["This till does not have this card's key."],
  "not-a-card overwrite-by-demo": ["This tag is not a tapcard card."],
  "not-a-card overwrite": ["This tag is not a tapcard card."],
  "unsupported-tag replace": ["This card can no longer be written."],
  "unusable-tag": ["This card can no longer be written."],
  "outcome-unknown replace": ["This card can no longer be written."],
  "outcome-unknown keep-copy": ["This is a copy.", steps["keep-copy"]],
  "outcome-unknown replace-if-it-repeats": [null, steps["replace-if-it-repeats"]],
  "ledger-behind": ["The card is newer than the ledger.", OPERATOR],
  "ledger-offline": ["The ledger is offline.", "Try again when it is back."],
  "not-refundable show-earlier-account":
    ["This was done before the card was issued again.", "It cannot be undone."],
  "not-refundable hold": [
    "This was done with another card.", "Hold that card to the reader and try again.",
  ],
  "already-refunded": ["This was already refunded.", "Check the history."],
  "no-reader": ["The reader cannot be reached.", "Check that it is plugged in."],
  "wrong-card": ["Wrong card.", "Hold the first one to the reader and try again."],
  // Nothing waits for a card any more.
  "no-card": ["No card came in time.", ""],
  "operation-mismatch": ["Another request has taken its place.", "Try again."],
};
