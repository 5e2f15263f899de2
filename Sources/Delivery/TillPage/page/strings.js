// All of the page's strings, except those that come from the server. The strings for the services,
// History, Health, and the simulated reader are in service-strings.js.

import { services } from "./service-strings.js";

export const say = {
  brand: "tapcard", skip: "Skip to content", none: "\u2013",
  nav: {
    home: "Till", draws: "Lottery", mastermind: "Game", history: "History", cards: "Card tools",
    health: "Health",
  },
  close: "Close", cancel: "Cancel", back: "Back",
  again: "Try again", loading: "Loading\u2026", missing: "Page not found",
  another: "Another page",
  cardWords: (uid) => `Card ${uid}`,
  tagLeft: "Removed from the reader. Nothing was changed.",

  link: {
    lost: "Connection lost.",
    lostDetail: "Unfinished payments will be checked as soon as the connection is back.",
    banner: "Reconnecting\u2026 For now, don't take or pay out any cash.",
    back: "Connection restored.",
    badAnswer: (status) => `The server returned an unexpected response (${status}).`,
  },
  // Refusals at the till: what happened to the money, and the reason for the refusal.
  refused: {
    plain: "The server reported a problem.",
    open: "Not finished yet",
    openLine: "Don't try again; History will show the outcome.",
    // For refusals in which the server's sentence contains the ID of an operation.
    named: { "not-refundable": "This cannot be refunded or undone." },
    titles: {
      pay: "Payment failed", add: "Top-up failed", refund: "Refund failed",
      reverse: "Undo failed", close: "Payout failed", "ticket/buy": "Ticket purchase failed",
    },
    nothing: {
      pay: "Nothing was charged.", add: "Nothing was added.", refund: "Nothing was refunded.",
      reverse: "Nothing was taken off the card. Don't give the customer any cash.",
      close: "Nothing was paid out. Don't give the customer any cash.",
      "ticket/buy": "Nothing was charged.",
    },
    voided: {
      pay: ["The payment was voided; nothing was charged.", "Try again."],
      "ticket/buy": ["The ticket purchase was voided; nothing was charged.", "Try again."],
      close: ["The payout was voided; the balance is still on the card.",
        "Don't give the customer any cash."],
    },
    why: {
      "not-begun": ["The server has no record of this; nothing was done.", "Try again."],
      "blank-tag": ["This tag is blank.", "Use a different card."],
      "not-a-card": ["This tag is not a card; it holds other data.", "Use a different card."],
      "unsupported-tag": ["This kind of card or tag is not supported.", "Use a different card."],
      "ledger-locked": ["Another program is using the ledger.", "Try again in a moment."],
      "ledger-full": ["There is no space left for the ledger.",
        "No payments, top-ups, refunds, or payouts until this is fixed."],
      "ledger-unavailable": ["The ledger cannot be used right now.",
        "No payments, top-ups, refunds, or payouts until this is fixed."],
      "ledger-undeclared": ["The ledger was restored but has not been reopened.",
        "Take cash, and write each sale down until the operator reopens it."],
      "keys-behind": ["This till does not have the newest key.",
        "No cards will work here until the operator imports it."],
    },
    noCash: "Don't give the customer any cash.",
    // Why this payment cannot be booked later.
    notOffline: {
      "no-snapshot": () => "This till has no saved card list.",
      "old-snapshot": () => "This till's saved card list is too old.",
      "forgotten-payments": () => "Too many payments failed here in the last day.",
      "no-record": () => "This card cannot be checked offline.",
      "unknown-card": () => "This card is not in this till's saved card list.",
      "card-blocked": () => "The saved card list says this card is blocked.",
      "card-closed": () => "The saved card list says this card is closed.",
      "card-replaced": () => "The saved card list says this card was replaced.",
      "old-record": () => "This card's data is out of date.",
      "open-operation": () => "An operation on this card is unfinished, possibly this payment.",
      balance: (left) => `The card's last known balance is only ${left}.`,
      "card-limit": (left) => `Only ${left} more can be paid offline with this card.`,
      "server-limit": (left) => `This till can accept only ${left} more in offline payments.`,
    },
    // The reason once a limit has been reached.
    spent: {
      "card-limit": "This card has reached its offline limit.",
      "server-limit": "This till has reached its offline limit.",
    },
    onlyLeft: (amount) => `Part of this top-up was spent: only ${amount} is left.`,
    tooLittle: "Part of this top-up was spent; there is not enough left.",
  },
  // Payments that will be booked when the ledger is back.
  offlinePayments: {
    offline: (left) => "The ledger is offline. "
      + `You can still take up to ${left} in card payments; they will be recorded later.`,
    stale: "The ledger is offline. Take cash, and write each sale down until it is back.",
    unbooked: (sum) => `Offline payments not in the ledger yet: ${sum}.`,
    booked: (when) => `All offline payments taken here were recorded at ${when}.`,
    back: "The ledger is back online.",
    done: "Will be recorded when the ledger is back online.",
    card: "Last known balance, minus offline payments that are not in the ledger yet.",
  },
  reader: {
    ready: "Reader ready", missing: "No reader", looking: "Connecting\u2026",
    why: "Cards cannot be read. Plug in the reader.", details: "See details",
    cutOff: "This till's reader is not connected to the server.",
    cutOffAdvice: "Cards cannot be read. Check that the reader's machine is on and has a network "
      + "connection.",
    lastSeen: (when) => `Last seen: ${when}.`,
    elsewhere: "The reader was last connected to another server.",
  },
  amount: {
    negative: (text) => `"${text}" is negative; enter it without a minus sign`,
    comma: (text, better) => `"${text}" has a comma; enter ${better}`,
    malformed: (text, example) => `"${text}" is not an amount; enter an amount such as ${example}`,
    precise: (text, code, places) =>
      `"${text}" has too many decimal places; ${code} has ${places || "none"}`,
    zero: "The amount must be more than 0",
  },

  card: {
    heading: "Card on the reader",
    empty: "Tap a card", emptyHint: "It will be read automatically.",
    away: "Reader not available", awayHint: "Cards cannot be read right now.",
    nameless: "Unnamed card", number: (id) => `No. ${id}`,
    seen: (name, balance) => `${name}, balance ${balance}.`,
    untrusted: "Card not accepted",
    proven: (chip) => `Genuine ${chip} chip`,
    unusable: "Needs replacement",
    plates: {
      "blank-tag": "Blank tag", "not-a-card": "Not a card", "unsupported-tag": "Unsupported tag",
      "several-tags": "More than one tag", copied: "Copied card",
      "key-missing": "Cannot be verified", "locked-tag": "Locked tag",
      "protected-tag": "Protected tag", unchecked: "Card not checked", other: "Unreadable card",
    },
    display: {
      repaired: "Phones were showing outdated information for this card. That has been fixed; the "
        + "balance was correct all along.",
      "out-of-date": "Phones show outdated information for this card. The balance is correct; "
        + "to update the card, use Repair in Card tools.",
    },
    ledger: {
      unknown: "This card is not in the ledger and cannot be used.",
      blocked: "This card is blocked. The operator can unblock it in Card tools.",
      closed: "This card is closed. It can no longer be used.",
      replaced: "This card was replaced. Use the new card; the balance was moved to it.",
    },
    unsealed: "This card is not from this business.",
    adopt: "The operator can convert it in Card tools.",
    forgedChip: "This chip may be counterfeit: the manufacturer's signature is invalid. The card "
      + "still works.",
    scratch: {
      null: "No scratch code", unscratched: "Code hidden", scratching: "Scratching\u2026",
      scratched: "Code revealed", activating: "Activation pending", activated: "Activated",
    },
  },
  home: {
    title: "Till", balance: "Balance", noReader: "Reader not available",
    noLedger: {
      "ledger-undeclared": "Ledger restored, not reopened yet",
      "keys-behind": "Newest key missing from this till", other: "Ledger not available",
    },
    scratch: "Scratch", activate: "Activate",
    offer: "Turn this tag into a card", offerAgain: "Use this tag for a new card",
    demo: "Make demo card",
    demoHint: "The demo customer is Amanda Gonzalez, customer number 1, with a balance of 0.",
    issue: "Issue card", issueAgain: "Issue new card", history: "Card history",
  },
  pay: { action: "Charge" },
  add: { title: "Top-up", lead: "Top-up amount", action: "Top up" },
  // Selling: the amount, the cart, and what becomes of the sale.
  sale: {
    due: "Amount due", cart: "Cart", products: "Products", keypad: "Keypad", other: "Other amount",
    soldOut: "Sold out", ask: "Enter price",
    less: (name) => `Remove one ${name}`, more: (name) => `Add one ${name}`,
    addLine: "Add to cart", erase: "Delete", clear: "Clear", toSelling: "Back to selling",
    typePrice: (name) => `Enter the price of ${name}.`,
    tap: "Tap the card", armed: "The next card tapped will be charged.",
    armedSpoken: (amount) => `${amount}. Tap the card.`,
    tapAgain: "Tap the same card again",
    nameCard: "Put the card on the reader, then try again.",
    credit: "Credit", returns: "Returned deposits",
    // What the card's balance does not cover.
    rest: {
      cash: (amount) => `Use balance + ${amount} in cash`,
      terminal: (amount) => `Use balance + ${amount} at the terminal`,
    },
    restTaken: {
      cash: (amount) => `Collect the remaining ${amount} in cash.`,
      terminal: (amount) => `Charge the remaining ${amount} on the card terminal.`,
      other: (amount) => `Collect the remaining ${amount}.`,
    },
    // Why a sale is no longer armed.
    ended: {
      expired: "No card was tapped in time. Press Charge to try again.",
      "other-page": "Another page is charging at this till. Press Charge to try again.",
      "page-left": "The connection was lost. Press Charge to try again.",
      "unclear-card": "Check whose card is on the reader, then press Charge.",
      "reader-lost": "The reader was disconnected. Press Charge to try again.",
      "reader-used": "The reader was used for something else. Press Charge to try again.",
    },
    notArmed: {
      "card-present": "A card is on the reader. Check the name, then press Charge.",
      "card-needed": "Put the card on the reader, check the name, then press Charge.",
      "confirmation-needed":
        "This sale has to be confirmed. Put the card on the reader, then press Charge.",
      "reader-taken": "The reader is busy. Try again in a moment.",
      lost: "Connection lost. Nothing was charged.",
    },
    last: "Last payment", undo: "Undo", hideLast: "Hide the last payment",
    park: "Next customer", parkedSales: "Parked sales",
    parked: (amount) => `${amount}, outcome unknown`,
    parkedHint: "Tap the same card again to find out. No other card will be charged.",
    notPaid: (amount) => `${amount}, not paid`, returned: (name) => `${name}, returned`,
    voided: "It did not go through; nothing was charged.", takeBack: "Put back in the cart",
    forget: (amount) => `Remove the parked sale of ${amount}`,
  },
  money: {
    notNow: "This card or tag cannot be charged or topped up.",
  },
  // Messages for a card that is still on the reader after an operation, and the labels of the
  // buttons that repeat the operation.
  served: {
    pay: ["Already paid. Remove the card, or charge it again.", "Charge again"],
    add: ["Already topped up. Remove the card, or top it up again.", "Top up again"],
    "ticket/buy": ["Ticket already bought. Remove the card, or buy another ticket.",
      "Buy another ticket"],
  },
  // For a card that was on the reader before the server started watching, or whose last operation
  // has an unknown outcome.
  possiblyServed: {
    pay: "This card may already have been charged. Check History before you charge it again.",
    add: "This card may already have been topped up. Check History before you top it up again.",
    "ticket/buy": "A ticket may already have been bought with this card. Check History before you "
      + "buy another.",
  },

  // Names of the actions, and their success messages.
  verbs: {
    pay: ["Payment", "Paid"], credit: ["Credit", "Credited"], add: ["Top-up", "Topped up"],
    refund: ["Refund", "Refunded"], undo: ["Undo sale", "Sale undone"],
    sale: ["Sale without a card"], "cash-in": ["Cash put in"], "cash-out": ["Cash taken out"],
    close: ["Payout", "Card closed"], scratch: ["Scratch", "Code revealed", "scratch-off"],
    activate: ["Activation", "Activated"],
    demo: ["Demo card", "Demo card ready", "demo card issuance"],
    issue: ["New card", "Card issued", "card issuance"], adopt: ["Conversion", "Card converted"],
    block: ["Block", "Card blocked"], unblock: ["Unblock", "Card unblocked"],
    forget: ["Name deletion", "Name deleted"], repair: ["Repair", "Card repaired"],
    replace: ["Replacement", "Card replaced"],
    "ticket/buy": ["Ticket purchase", "Ticket bought"],
    "ticket/check": ["Ticket check", "Tickets checked"],
    "ticket/claim": ["Prize claim", "Prize claimed"],
    "mastermind/start": ["New game", "Game started and saved"],
    "mastermind/resume": ["Saved game", "Game resumed"],
    "tag/read": ["Tag reading"], "tag/write": ["Tag writing"],
    reverse: ["Undo top-up", "Top-up undone", "top-up reversal"],
    offline: ["Offline payment", "Paid offline"],
    ask: ["Activation check"], ticket: ["Ticket purchase"],
    claim: ["Prize", "Prize claimed", "prize claim"],
    payout: ["Cash prize", "Prize paid out", "prize payout"],
    game: ["Saved game", "Game saved", "game save"],
    protect: ["Password protection", "Password set", "password setup"],
    unprotect: ["Password removal"],
  },
  earlierOutcome: (what, isDone, movesMoney) => {
    const [done, voided] = movesMoney ? ["went through", "did not go through"]
      : ["was completed", "was voided"];
    return `The earlier ${what} ${isDone ? done : voided}.`;
  },
  // The verb in a confirmation question; the amount follows it.
  requests: {
    pay: "Charge", add: "Add", refund: "Refund", close: "Pay out",
    "ticket/buy": "Buy a ticket for",
  },
  repeatQuestions: {
    "confirmation-needed": [(what) => `${what}?`, (amount) => (amount ? `Yes, ${amount}` : "Yes")],
    "just-resolved": [(what) => `${what} again?`, () => "Yes, do it again"],
    "same-card": [(what) => `${what} again?`, () => "Yes, do it again"],
  },
  phases: {
    seen: "Card detected\u2026", resolving: "Resolving an earlier operation\u2026",
    scratching: "Scratching\u2026", writing: "Writing to the card\u2026",
    asking: "Contacting the service\u2026", working: "Working\u2026",
    committed: "Almost done\u2026", waiting: "waiting", done: "done", failed: "failed",
  },
  canceled: {
    all: "Canceled. Nothing was done.", scratch: "Canceled. The code is still hidden.",
    pay: "Canceled. Nothing was charged.", add: "Canceled. Nothing was added.",
  },
  panel: {
    hold: "Tap the card", holdTag: "Put a tag on the reader",
    keep: "Keep the card on the reader", canceling: "Canceling\u2026",
    failed: "Something went wrong",
    asking: "Connection lost. Checking whether the request went through\u2026",
    left: (balance) => `${balance} left`, balance: (balance) => `Balance ${balance}`,
    afterwards: (balance) => `New balance: ${balance}`,
    replayed: "This was already done. Nothing was charged or added twice.",
    next: "Next customer", goBack: "Done",
    undoOut: (amount) => `Undo and give back ${amount}`,
    handOut: (amount) => `Give the customer ${amount}`,
  },
  unknown: {
    title: "Outcome unknown",
    // When the tag is the problem: what is unfinished, and what the cashier should do meanwhile.
    kept: "Recorded, card not updated",
    yet: {
      add: "Don't give the money back.", pay: "The card has not been charged yet.",
      "ticket/buy": "The card has not been charged yet.",
      close: "Nothing has been paid out yet. Don't give the customer any cash.",
      reverse: "The top-up has not been fully undone. Don't give the customer any cash yet.",
    },
    hold: "Tap the same card again to finish.",
    press: "Press \u201cCheck again\u201d, then tap the same card.",
    wrongCard: "That is a different card. Tap the first one again.",
    noCard: "Don't give the customer any cash until the outcome is known.",
    noTap: "Don't take the money again. Still checking whether the sale was recorded\u2026",
    again: "Check again", leave: "Check later",
  },

  scratch: {
    title: "Scratch",
    lead: "Rub to reveal the code. Keep the card on the reader, and stay on this page.",
    field: "Scratch-off area. Press Space or Enter to reveal the code.", button: "Reveal code",
    working: "Scratching\u2026 Keep the card on the reader.", under: "Hidden code",
    hidden: "\u2022".repeat(8), done: "Code revealed and saved on the card",
    next: "Activate code", not: "This card has no hidden code.",
    leave: "Go back without scratching",
  },
  ...services,

  cards: {
    title: "Card tools",
    lead: "Manage the card on the reader, or enter a card number.",
    card: "Card number", cardHint: "Leave blank for the card on the reader.",
    cardFault: "Enter all 14 characters of the card number (0-9, A-F).",
    onReader: "Applies to the card on the reader.",
    find: "Find a card", findWhat: "Part of the name or card number", findAction: "Find",
    findFault: "Enter part of the name or card number.", notFound: "No card found.",
    choose: "Choose", more: "Next page", noName: "No name", ends: (end) => `card ends in ${end}`,
    lastUsed: (when) => `last used ${when}`,
    statuses: { blocked: "blocked", closed: "closed", replaced: "replaced" },
    elsewhere: "To pay out the balance and close this card, put it on the reader.",
    takeOff: "This tag cannot become the new card. Put a different tag on the reader.",
    accept: "Balance to carry over",
    acceptHint: "To convert a card, enter its exact balance. Leave blank to start at 0.",
    ask: (action) => `${action}?`, handOut: (amount) => `Cash to pay out: ${amount}.`,
    actions: {
      issue: ["Issue card", "Turn a blank tag into a card."],
      demo: ["Make demo card", "Amanda Gonzalez, customer number 1, balance 0."],
      adopt: ["Convert", "Convert another system's card, or one not in the ledger.",
        "The name, number, and scratch code will be kept, but a code activated by another "
        + "system will have to be activated again. Only the balance you entered will be credited."],
      repair: ["Repair", "Rewrite the card from the ledger.",
        "Make sure this is the original. If you entered a card number, only the card on the reader "
        + "will be valid from now on, even if it was refused or is a copy."],
      block: ["Block", "Refuse payments and top-ups until you unblock the card.",
        "Payments and top-ups will be refused until you unblock the card."],
      unblock: ["Unblock", "Allow payments and top-ups again.",
        "Anyone holding this card will be able to pay with it. Make sure the right person has it."],
      replace: ["Replace", "Enter a lost card's number to move its balance to this tag.",
        "The lost card will stop working for good, even if it is found."],
      close: ["Pay out and close", "Pay out the balance in cash and close the card.",
        "The card will be closed for good. Pay out the cash only after the check mark appears."],
      forget: ["Delete name", "Delete the customer's name.",
        "The name will be deleted from the ledger now, and from the card when it is next tapped. "
        + "This cannot be undone."],
    },
  },
  making: {
    overwrite: ["Overwrite this tag?", "Everything on it will be erased for good.", "Overwrite"],
    reissue: ["This card is in use",
      "Its account will be closed for good, and a new account will be opened on the same tag.",
      "Close and issue new card"],
    again: ["This tag used to be a card",
      "Its old account is closed. A new account will be opened on the same tag.", "Issue new card"],
    held: (amount) => `Cash to pay out from the old account: ${amount}.`,
  },
  issue: {
    title: "Issue card",
    lead: "Any phone can read the customer's name and number, the balance, and the code, except on "
      + "an NTAG 424.",
    name: "Customer name (optional)", id: "Customer number (optional)",
    idFault: "Enter a whole number from 1 to 9999999999.",
    balance: "Starting balance (cash received)", noScratch: "No scratch code",
    protect: "Require a password to write",
    protectHint: "The password is derived from the issuer's key; only that key can remove it.",
    proven: "An NTAG 424 can prove that it is genuine, so it needs no password.",
    elsewhere: "Cards cannot be made at this till.",
    action: "Issue card",
  },

  consent: {
    cashier: "Ask a cashier or an owner to approve this with their name and password.",
    owner: "Ask an owner to approve this with their name and password.",
  },
  login: {
    lead: "Log in to start.", cashier: "Name", password: "Password",
    action: "Log in", out: "Log out", as: (name) => `Cashier: ${name}`,
  },
};
