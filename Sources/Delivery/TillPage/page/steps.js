// The page's wording for the next steps that the server suggests, and for refusals whose server
// text is written for operators.

import { state } from "./store.js";
import { shown } from "./words.js";

const OPERATOR = "Ask the operator.";
const CHECK_ADDRESS = "Ask the operator to check the service's address.";
const LOTTERY_RESTARTED = "The lottery may have been reset. Ask the operator.";
const LOG_IN = "Log in on the Game tab.";
const NEW_GAME = "Start a new game.";
const HISTORY = "Check History to see what was done.";
const OTHER_TAG = "Use another tag.";
const IN_DOUBT =
  "If you are not sure this is the original card, block it; Repair would make even a copy valid.";
const REPLACE = "move the balance to another tag with Replace in Card tools.";

/** An empty string marks a step that the page takes itself or offers as a button. */
export const steps = {
  "top-up": "Top up the card first, or charge less.",
  unblock: "The operator can unblock it in Card tools.",
  "pay-out": "Pay out its balance and close it in Card tools first.",
  "pay-out-or-confirm": "Pay out its balance and close it in Card tools first.",
  "use-replacement": "Use the new card; the balance was moved to it.",
  reissue: "This tag can be issued as a new card.",
  "reissue-tag": "This tag can be issued as a new card.",
  "begin-new-account": "Issue it as a new card; its old account will be closed.",
  adopt: "The operator can convert it in Card tools.",
  "adopt-or-reissue": "Convert it in Card tools, or issue it as a new card.",
  "adopt-or-overwrite": "Convert it in Card tools, or overwrite it with a new card.",
  issue: () => (state.makesCards ? "Turn this tag into a demo card, or issue it as a new card."
    : "Cards cannot be made at this till. Use a till where they may be made."),
  "show-history": ({ uid }) =>
    (uid ? "Check History to see what was done with this card." : HISTORY),
  "show-operation": HISTORY,
  "show-earlier-account": HISTORY,
  "show-cards": "Check the number. History lists recently used cards.",

  repair: "The operator can repair it in Card tools by entering its number.",
  "repair-if-refused": "If the card is then refused, ask the operator.",
  "repair-if-known":
    "If you are sure it is the original, ask the operator to repair it in Card tools.",
  "block-in-doubt": IN_DOUBT,
  "block-or-repair":
    "In Card tools, the operator can block it, or repair it by entering its number.",
  "keep-and-block": "Keep the card, and have the operator block it, using its number.",
  "keep-copy": "Don't give this copy back; the real card still works.",
  replace: "The operator can move the balance to another tag with Replace in Card tools.",
  "replace-if-genuine": `If it is the customer's card, ${REPLACE}`,
  "replace-if-it-repeats": `If it happens again, ${REPLACE}`,
  "use-as-it-is": `Keep using it as it is, or ${REPLACE}`,
  "use-at-its-server": "Use it where it was issued.",
  "use-trusted-reader": "Use a till where cards may be made.",
  "use-there": "Use it where it was issued.",

  hold: ({ uid }) => `Tap ${uid ? "that" : "a"} card and try again.`,
  "hold-again": "Tap the card once more, then try again.",
  "hold-still": "Keep the card on the reader and try again.",
  "lift-and-tap": "Remove the card, put it back, and try again.",
  "leave-one": "Leave only one card on the reader.",
  "tap-to-resolve": "Tap the same card again to finish.",
  "tap-to-write": "Tap the same card again to update it.",
  "use-another-tag": OTHER_TAG,
  "use-another-tag-or-any-chip": "This chip may be counterfeit. Use another tag.",
  "use-factory-tag": "Use a new, unused tag.",
  "format-for-nfc": "Format it with a phone app, or use another tag.",
  "use-unlocked-tag": "It is locked for good. Use another tag.",
  "give-password": "",
  "use-known-chip": () => `Use one of these tags: ${state.settings.chips.join(", ")}.`,
  "use-same-chip": "Use a tag with the same kind of chip.",
  "show-tag": "",
  "shorten-name": "Use a shorter name, no name, or a tag with more space.",
  overwrite: "",
  "overwrite-by-issuing": "",
  "overwrite-by-demo": "Use another tag, or overwrite this one with Issue card.",
  "write-again": "Try again.",
  "protect-again": OPERATOR,
  "go-on": "Try again; the operation will pick up where it left off.",

  "diagnose-reader": "See Health for the cause and what to do.",
  "free-reader":
    "Another program is using the reader. Close that program or wait; see Health for its name.",
  "plug-reader-in":
    "Unplug the reader and plug it back in. If that does not help, see Health.",
  "share-reader": "",
  "use-another-reader": "Use a different reader model.",

  "check-amount": "Check the amount.",
  "show-limits": "",
  confirm: "",
  "accept-balance":
    "Enter the exact balance shown on the card, or leave the field blank to start at 0.",
  again: "Try again.",
  "use-new-id": "Try again.",
  "open-shift": "Open a shift first.",
  "repeat-with-id": "",
  "repeat-payout": "Don't give the customer any cash until the payout is recorded.",
  "specify-id": "",
  "once-more": "",
  "refund-at-most": ({ amount }) => `Only ${shown(amount)} of the top-up can still be undone.`,
  "all-spent": "The top-up has been spent and cannot be undone.",
  "instead-of-refund": "",

  "try-later": "Try again later.",
  "distrust-service": CHECK_ADDRESS,
  "check-address": CHECK_ADDRESS,
  "confirm-address": "Ask the operator to confirm the service's address.",
  "install-client": OPERATOR,
  "log-in": LOG_IN,
  "log-in-or-set-password": LOG_IN,
  "correct-password": "Check the user name and password.",
  "activate-again": "Try activating again; the same code will be sent.",
  "activate-later": "Try activating again later.",
  "start-game": NEW_GAME,
  "start-another-game": NEW_GAME,
  "keep-game": NEW_GAME,
  "go-on-guessing":
    "Keep guessing. The number of your next guess will show whether the last one counted.",

  "forget-draws": LOTTERY_RESTARTED,
  "show-draws": "Choose a draw from the list.",
  "wait-for-draws": "Try again once the lottery announces a draw.",
  "buy-for-next-draw": "Buy a ticket for the next draw.",
  "buy-with-another-card": LOTTERY_RESTARTED,
  "resolve-purchase": "The purchase is unfinished. Tap the same card again later.",
  "check-tickets":
    "Press \u201cCheck a card's tickets\u201d once the ledger is back online.",
  "show-tickets": "Tap the card this ticket was bought with.",
  "pay-prize-out": "Use \u201cPay out in cash\u201d instead.",

  "take-no-money":
    "No payments, top-ups, refunds, or payouts until the ledger can be used again.",
  "restore-good-backup": "Stop all payments, top-ups, and payouts. Ask the operator.",
  "bring-newer-ledger-back": OPERATOR,
  "read-card-when-back": "Tap the card again once the ledger is back online.",
  "add-when-back": "Return the money, or top up once the ledger is back online.",
  "wait-for-ledger":
    "Take cash and write the sale down, or try again once the ledger is back online.",
  "read-card-when-writable":
    "Once the ledger works again, tap the card and check History before you try again.",
  "check-disk": OPERATOR,
  "check-file": OPERATOR,
  "use-database": OPERATOR,

  "make-private": OPERATOR,
  "run-as-owner": OPERATOR,
  "restore-file": OPERATOR,
  "use-newer-version": OPERATOR,
  "make-room": OPERATOR,
  "choose-other-name": "Choose another name.",
  "remove-cashier": OPERATOR,
  "make-owner": OPERATOR,
  "import-keys": OPERATOR,
  "import-keys-or-overwrite": OPERATOR,
  "import-keys-or-replace": OPERATOR,
  "renew-keys": OPERATOR,
  "keep-journal": OPERATOR,
  "book-elsewhere": OPERATOR,

  "ask-again-soon": "Try again in a moment.",
  "ask-operator": OPERATOR,
  "ask-role": ({ role }) => (role === "owner" ? "Ask an owner." : "Ask a cashier or an owner."),
  "name-till": "Choose a till.",
  "close-pages": "Close some of the open tabs.",
  "log-in-as-cashier": "",
  "look-or-repeat": "Check History before you try again.",
  "open-printed-address": OPERATOR,
  "open-session": "",
  "open-stream": "",
  "name-card": "",
  "send-json": "",
  "try-again": "Try again.",
  "try-again-in": ({ seconds }) =>
    `Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
  "wait-for-operation": "Try again in a moment.",
};

/** Steps that the server suggests only while the reader cannot be used. */
export const READER_STEPS = ["diagnose-reader", "free-reader", "plug-reader-in"];

/** Advice that depends on the kind of task, keyed by error and kind. */
export const adviceByError = {
  "ledger-offline pay": steps["wait-for-ledger"],
  "ledger-offline add": steps["add-when-back"],
  "insufficient-balance ticket/buy": "Top up the card first.",
};

/** What happened and what to do, keyed by error, or by error and next step. */
export const refusals = {
  "copied": ["This is a copy of a card and holds no money.", steps["keep-copy"]],
  "forged": ["This card is forged; the balance in the ledger is safe."],
  "forged repair-if-known": ["This card was written with a key that is no longer in use."],
  "forged overwrite-by-issuing": ["This tag uses an old key and is not in the ledger."],
  "forged import-keys-or-overwrite":
    ["This card is from another business, or is not genuine.", OPERATOR],
  "rolled-back": ["This card's data is out of date; there may be a copy."],
  "damaged": ["This card's data is damaged; the balance is safe."],
  "damaged block-in-doubt":
    ["Only old data is left on this card; the balance is safe.", IN_DOUBT],
  "key-missing": ["This till cannot tell whether this card is genuine.", OPERATOR],
  "key-missing use-another-tag": [
    "This card is from another business.",
    "Don't try this card again; too many failed attempts can lock it.",
  ],
  "key-missing replace-if-genuine":
    ["This card may be a copy, or it may not have been read properly."],
  "not-a-card overwrite-by-demo": ["This tag holds other data."],
  "not-a-card overwrite": ["This tag holds other data."],
  "unsupported-tag replace": ["This card can no longer be written to; the balance is safe."],
  "unusable-tag": ["This card is worn out or has been tampered with; the balance is safe."],
  "outcome-unknown replace":
    ["This card can no longer be written to; an operation is unfinished."],
  "outcome-unknown keep-copy":
    ["This is a copy; an operation on the real card is unfinished.", steps["keep-copy"]],
  "outcome-unknown replace-if-it-repeats": [null, steps["replace-if-it-repeats"]],
  "ledger-behind":
    ["The card's data is newer than the ledger's.", OPERATOR],
  "ledger-offline": ["The ledger is offline.", "Try again once the ledger is back online."],
  "not-refundable show-earlier-account":
    ["This was done before the card was reissued.", "It cannot be refunded or undone."],
  "not-refundable hold": [
    "This was done with another card.", "Tap that card and try again.",
  ],
  "already-refunded": ["This was already refunded or undone.", "See History for details."],
  "no-reader": ["Reader not connected.", "Check that it is plugged in."],
  "wrong-card": ["That is a different card.", "Tap the first card and try again."],
  // No advice to tap the card: the request has ended, so a tap would do nothing.
  "no-card": ["No card was tapped in time.", ""],
  "operation-mismatch": ["This request was not carried out.", "Try again."],
};
