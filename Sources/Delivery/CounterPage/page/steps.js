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
const IN_DOUBT = "In doubt block it; Repair, at the desk, makes the one in hand the true one.";
const REPLACE = "move its funds to another tag: Replace, at the desk.";

/** An empty text marks a step that the page takes itself or offers with a button. */
export const steps = {
  "add-funds": "Add funds first, or charge less.",
  unblock: "Allow it again at the desk.",
  "pay-out": "Pay it out at the desk first.",
  "pay-out-or-confirm": "Pay it out at the desk first.",
  "use-replacement": "Its money is on the other card.",
  reissue: "It can be issued again.",
  "reissue-tag": "Its tag can be issued again.",
  "begin-new-account": "Take it over at the desk, or begin a new account on it.",
  adopt: "Take it over at the desk.",
  "adopt-or-reissue": "Take it over at the desk, or begin a new account on it.",
  "adopt-or-overwrite": "Take it over at the desk, or write over it.",
  issue: "Write the demo user, or issue a card.",
  "show-history": ({ uid }) => (uid ? "Look at its history." : HISTORY),
  "show-operation": HISTORY,
  "show-earlier-account": HISTORY,
  "show-cards": "The history shows the cards that are known.",

  repair: "Write it again: Repair, at the desk, with its number.",
  "repair-if-known": "If you know the card, write it again: Repair, at the desk.",
  "block-in-doubt": IN_DOUBT,
  "block-or-repair": "Block it, or write this one again: Repair, at the desk, with its number.",
  "keep-and-block": "Keep the card, and block it at the desk.",
  "keep-copy": "Keep the tag. The card it was copied from is not to blame.",
  replace: "Move its funds to another tag: Replace, at the desk.",
  "replace-if-genuine": `If this is the card, ${REPLACE}`,
  "replace-if-it-repeats": `If it says so each time, ${REPLACE}`,
  "use-as-it-is": `Use it as it is, or ${REPLACE}`,
  "use-at-its-station": "Use it at the station that issued it.",
  "use-at-house-station": "Do it at another counter.",
  "use-there": "Use it there.",

  hold: ({ uid }) => `Hold ${uid ? "that" : "a"} card to the reader and try again.`,
  "hold-again": "Hold the card to the reader and try again.",
  "hold-still": "Hold it still and try again.",
  "lift-and-tap": "Lift the card, hold it to the reader, and try again.",
  "leave-one": "Leave only one of them there.",
  "tap-to-settle": "Tap the card again to settle it.",
  "tap-to-write": "Tap the card again to write it.",
  "use-another-tag": OTHER_TAG,
  "use-another-tag-or-any-chip": OTHER_TAG,
  "use-factory-tag": "Use a tag from the factory.",
  "use-unlocked-tag": OTHER_TAG,
  "use-known-chip": "Use NTAG213, NTAG215, NTAG216 or NTAG424.",
  "use-same-chip": "Use a tag of that make.",
  "show-tag": "",
  "shorten-name": "Use a shorter name, none at all, or a tag with more memory.",
  overwrite: "",
  "overwrite-by-issuing": "",
  "overwrite-by-demo": "Write the demo user over it, or issue a card.",
  "protect-again": OPERATOR,
  "go-on": "Then try again: it goes on where it stopped.",

  "diagnose-reader": "Health says why, and what to do.",
  "free-reader": "Stop the other program, or wait until it has finished; Health says what to do.",
  "plug-reader-in": "Plug the reader in again; Health says what is wrong with it.",
  "use-another-reader": "Use a reader that passes on every command.",

  "check-amount": "Check the amount.",
  "show-limits": "",
  confirm: "",
  "accept-balance": "Name the amount that it says, or none to begin with 0.",
  again: "Try again.",
  "use-new-id": "Try again.",
  "repeat-with-id": "",
  "repeat-payout": "Pay nothing out until this says that it is booked.",
  "name-id": "",
  "once-more": "",
  "refund-at-most": ({ amount }) => `At most ${shown(amount)} can be taken back.`,
  "all-spent": "Nothing of it can be taken back: it was spent.",
  "instead-of-refund": "",

  "try-later": "Try again later.",
  "distrust-service": CHECK_ADDRESS,
  "check-address": CHECK_ADDRESS,
  "install-client": OPERATOR,
  "log-in": LOG_IN,
  "log-in-or-set-password": LOG_IN,
  "correct-password": "Try again with the right name and password.",
  "activate-again": "Activate it again: that asks for the same code.",
  "activate-later": "When the ledger is well again, activate it again.",
  "start-game": NEW_GAME,
  "start-another-game": NEW_GAME,
  "keep-game": NEW_GAME,
  "go-on-guessing": "Go on guessing: the number of the next answer says whether it counted.",

  "forget-draws": LOTTERY_BEGAN,
  "show-draws": "The list shows those that have taken place.",
  "wait-for-draws": "Try again when the lottery names its draws.",
  "buy-for-next-draw": "Buy for the next draw.",
  "buy-with-another-card": LOTTERY_BEGAN,
  "settle-purchase": "Ask again when the lottery answers.",
  "check-tickets": "Check the card's tickets once the ledger is back.",
  "show-tickets": "Hold the card that bought it to the reader and try again.",
  "pay-prize-out": "Pay it out of the drawer instead.",

  "take-no-money": "Take and give no money.",
  "restore-good-backup": "Stop taking money.",
  "bring-newer-ledger-back": OPERATOR,
  "read-card-when-back": "Tap it again once the ledger is back.",
  "add-when-back": "Give the cash back, or add it once the ledger is back.",
  "wait-for-ledger": "Try again once the ledger is back, or take cash.",
  "read-card-when-writable":
    "When the disk is well again, tap the card before you repeat anything.",
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
  "settle-elsewhere": OPERATOR,

  "ask-again-soon": "Try again in a moment.",
  "ask-operator": OPERATOR,
  "name-counter": "Choose a counter.",
  "close-pages": "Close some.",
  "log-in-as-cashier": "",
  "look-or-repeat": "What was booked is in the history.",
  "open-printed-address": OPERATOR,
  "open-session": "",
  "send-json": "",
  "try-again": "Try again.",
  "try-again-in": ({ seconds }) => `Try again in ${seconds} s.`,
  "wait-for-operation": "Wait until that is done.",
};

/** Steps that end only when the reader is back. */
export const OF_READER = ["diagnose-reader", "free-reader", "plug-reader-in"];

/** The texts of a refusal, or of a refusal with this step: what happened, and what to do. */
export const refusals = {
  "copied": ["This is a copy.", "Keep it; the card it was copied from is not to blame."],
  "forged": ["This card was forged."],
  "forged repair-if-known": ["The card's key was given up."],
  "forged overwrite-by-issuing": ["The card's key was given up."],
  "forged import-keys-or-overwrite": ["This is another house's card, or a forged one.", OPERATOR],
  "rolled-back": ["The card shows an older state than it had."],
  "damaged": ["Nothing on the card can be read."],
  "damaged block-in-doubt": ["Only an old state is left on the card.", IN_DOUBT],
  "key-missing": ["The key of this card is not here.", OPERATOR],
  "key-missing use-another-tag": ["This is another house's card.", "Do not keep trying it."],
  "key-missing replace-if-genuine": ["This may be a copy."],
  "key-missing use-at-house-station": ["This counter has no key of this card."],
  "not-a-card overwrite-by-demo": ["This tag is not a tapcard card."],
  "unsupported-tag replace": ["Nothing can be written to this card any more."],
  "unusable-tag": ["Nothing can be written to this card any more."],
  "outcome-unknown replace": ["Nothing can be written to this card any more."],
  "outcome-unknown keep-copy": ["This is a copy.", "Keep the tag: it is a copy."],
  "outcome-unknown replace-if-it-repeats": [null, steps["replace-if-it-repeats"]],
  "ledger-behind": ["The card is newer than the ledger.", OPERATOR],
  "ledger-unreachable": ["The ledger is out of reach.", "Try again when it is back."],
  "not-refundable show-earlier-account":
    ["This was done before the card was issued again.", "It cannot be taken back."],
  "not-refundable hold": [
    "This was done with another card.", "Hold that card to the reader and try again.",
  ],
  "already-refunded": ["This was given back before.", "Look at the history."],
  "wrong-card": ["Wrong card.", "Hold the first one to the reader and try again."],
  // Nothing waits for a card any more.
  "no-card": ["No card came in time.", ""],
  "operation-mismatch": ["Another request has taken its place.", "Try again."],
};
