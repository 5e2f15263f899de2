// All texts of the page, except those of the server. Those of the lottery and of the game are in
// service-strings.js.

import { services } from "./service-strings.js";

const counted = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

export const say = {
  brand: "tapcard", skip: "Skip to the content", none: "\u2013",
  nav: {
    home: "Till", draws: "Lottery", mastermind: "Game", history: "History", cards: "Card tools",
    health: "Health",
  },
  close: "Close", cancel: "Cancel", back: "Back",
  again: "Try again", loading: "Loading\u2026", missing: "Page not found.",
  another: "Another page",
  cardWords: (uid) => `Card ${uid}`, tagLeft: "The card was removed. Nothing was done.",

  tills: {
    title: "Which till is this?",
    lead: "This browser remembers your choice. To change it, press the name at the top.",
    one: (number) => `Till ${number}`, here: "You are here. ",
    missing: (number) => `Till ${number} no longer exists. Choose another one.`,
  },
  link: {
    lost: "The server does not answer.",
    lostDetail: "Unfinished payments are checked as soon as the connection is back.",
    banner: "Trying to reconnect. Do not take or hand out money until it is back.",
    back: "The server is back.",
    badAnswer: (status) => `The server sent an invalid answer (${status}).`,
  },
  // Refusals at the till: what they mean for the money, and why.
  refused: {
    plain: "It was refused.",
    open: "Still open", openLine: "The history will show the outcome.",
    // For refusals whose server text names an operation by its id.
    named: { "not-refundable": "This cannot be undone." },
    titles: {
      pay: "Not paid", add: "Not added", refund: "Not refunded", reverse: "Could not undo",
      close: "Not paid out", "ticket/buy": "No ticket",
    },
    nothing: {
      pay: "Nothing was charged.", add: "Nothing was added.", refund: "Nothing was refunded.",
      reverse: "Nothing was taken off the card.", close: "Hand out nothing.",
      "ticket/buy": "Nothing was charged.",
    },
    voided: {
      pay: ["Nothing was taken from the card.", "Try again."],
      "ticket/buy": ["Nothing was taken from the card.", "Try again."],
      close: ["The card keeps its money.", "Hand out nothing."],
    },
    why: {
      "not-begun": ["The connection was lost before anything was booked.", "Try again."],
      "blank-tag": ["This tag is blank.", "Hold a card to the reader."],
      "not-a-card": ["This tag is not a tapcard card.", "Hold a card to the reader."],
      "unsupported-tag": ["This tag is not a tapcard card.", "Hold a card to the reader."],
      "ledger-unavailable": ["The ledger is offline.", "No money moves until it is back."],
      "ledger-undeclared": [
        "No card can be charged before the owner has reopened the ledger.", "Take cash.",
      ],
      "keys-behind": ["This till does not have the issuer's key.", "Ask the operator."],
      "ledger-offline": ["The ledger is offline.", "Try again later, or take cash."],
    },
    // Why this payment cannot be booked later.
    notOffline: {
      "no-snapshot": () => "The ledger is offline.",
      "old-snapshot": () => "The ledger has been offline for too long.",
      "forgotten-payments": () => "Too many payments failed at this till today.",
      "no-record": () => "This card cannot be checked right now.",
      "unknown-card": () => "This till has no record of the card yet.",
      "card-blocked": () => "The card is blocked.",
      "card-closed": () => "The card is closed.",
      "card-replaced": () => "The card was replaced.",
      "old-record": () => "This card is out of date.",
      "open-operation": () => "The card has an unfinished operation.",
      balance: (left) => `Last known balance: ${left}.`,
      "card-limit": (left) => `This card can pay only ${left} more offline.`,
      "station-limit": (left) => `This station can take only ${left} more offline.`,
    },
    // ... where a limit is used up.
    spent: {
      "card-limit": "This card has reached its offline limit.",
      "station-limit": "This station has reached its offline limit.",
    },
    untilBack: "Take cash until the ledger is back.",
    onlyLeft: (amount) => `Only ${amount} is left on the card.`,
    tooLittle: "The card has less than that.",
  },
  // Payments that are booked when the ledger is back.
  offlinePayments: {
    offline: (left) =>
      `The ledger is offline. Payments are booked later; you can take ${left} more.`,
    stale: "The ledger is offline. Take cash until it is back.",
    unbooked: (sum) => `${sum} is still to be booked.`,
    booked: (when) => `The ledger is back. Everything was booked at ${when}.`,
    back: "The ledger is back.",
    hint: "Booked later", done: "The ledger is offline.",
    card: "Payments that are not booked yet are already subtracted.",
  },
  reader: {
    ready: "Reader ready", missing: "No reader", looking: "Connecting",
    why: "Cards cannot be read until a reader is connected.", details: "What to do",
  },
  amount: {
    negative: (text) => `"${text}" is negative; write it without the sign`,
    comma: (text, better) => `"${text}" has a comma; write ${better}`,
    malformed: (text, example) => `"${text}" is not an amount; write it like ${example}`,
    precise: (text, code, places) =>
      `"${text}" is too precise; ${code} has ${places || "no"} decimals`,
    zero: "The amount must be above 0",
  },

  card: {
    heading: "The card on the reader",
    empty: "Hold a card to the reader", emptyHint: "It is read automatically.",
    away: "Cards cannot be read", awayHint: "The reader cannot be reached.",
    asking: "Waiting for a card", asked: "Hold it to the reader to see its balance.",
    nameless: "Unnamed card", number: (id) => `No. ${id}`,
    seen: (name, balance) => `Card read: ${name}, ${balance} available.`,
    untrusted: "Do not take or give money on this card",
    proven: (chip) => `${chip}, cannot be copied`,
    unusable: "Not usable",
    plates: {
      "blank-tag": "Blank tag", "not-a-card": "Not a card", "unsupported-tag": "Not a card",
      "several-tags": "More than one tag", copied: "A copy", "key-missing": "Unknown key",
      "locked-tag": "Locked tag", "protected-tag": "Protected tag", other: "Not read",
    },
    display: {
      repaired: "The text that phones read was updated.",
      "out-of-date": "The text that phones read is out of date. Repair in Card tools updates it.",
    },
    ledger: {
      unknown: "This card is not in the ledger.",
      blocked: "This card is blocked. To unblock it, use Card tools.",
      closed: "This card is closed.",
      replaced: "This card was replaced. Its money is on the other card.",
    },
    unsealed: "This card is not from this business.",
    adopt: "To accept it here, convert it in Card tools.",
    forgedChip: "The chip's signature is invalid. It may be an imitation.",
    scratch: {
      null: "No scratch card", unscratched: "Not scratched yet", scratching: "Being scratched",
      scratched: "Scratched", activating: "Being activated", activated: "Activated",
    },
  },
  home: {
    title: "Till", ways: "Actions",
    balance: "Balance", balanceAsk: "Tap to read a card",
    pay: "Take a payment", payHint: "Charge a card",
    add: "Top up", addHint: "Top up with cash",
    barred: "This card cannot be used", notThis: "Not available for this card",
    noReader: "Needs the reader",
    noLedger: {
      "ledger-undeclared": "The ledger must be reopened first",
      "keys-behind": "Needs the issuer's key", other: "Not while the ledger is offline",
    },
    scratch: "Scratch", activate: "Activate",
    why: {
      absent: ["Needs a card", "Needs a card"],
      none: ["It has no scratch card", "It has no scratch card"],
      unscratched: ["Reveal the code", "Scratch it first"],
      scratching: ["Being scratched", "Scratch it first"],
      scratched: ["Scratched already", "Send the code"],
      activating: ["Scratched already", "On its way"],
      activated: ["Scratched already", "Activated already"],
    },
    offer: "This tag can become a card", offerAgain: "Its tag can become a new card",
    elsewhere: "Only at another till",
    demo: "Write the demo user",
    demoHint: "The demo user is Amanda Gonzalez, number 1, with an empty balance.",
    issue: "Issue a card", issueAgain: "Issue it again", history: "History of this card",
  },
  pay: { title: "Take a payment", lead: "How much?", action: "Charge" },
  add: { title: "Top up", lead: "How much cash did you take?", action: "Add" },
  money: {
    presets: "Usual amounts", label: "Another amount",
    on: (name, balance) => `${name}, ${balance} available`,
    nobody: "Choose an amount, then tap the card.",
    notNow: "This card cannot be charged or topped up.",
    elsewhere: "This till cannot top up cards. Use another one.",
  },
  // Messages for a card that stays on the reader after an operation, with the label to repeat it.
  served: {
    pay: ["Already paid. Remove the card, or charge it again.", "Charge the same card again"],
    add: ["Already topped up. Remove the card, or add more.", "Add to the same card again"],
    "ticket/buy": ["Ticket already bought. Remove the card, or buy another.",
      "Charge the same card again"],
  },
  // Of a card that was there before the server could see it arrive, or whose payment is unknown.
  perhapsServed: {
    pay: "This card may have paid already. Check the history before you charge it again.",
    add: "This card may have been topped up already. Check the history before you add more.",
    "ticket/buy": "This card may have paid for a ticket already. Check the history first.",
  },

  // Names of the actions, and their messages of success.
  verbs: {
    pay: ["Payment", "Paid"], add: ["Top-up", "Added"], refund: ["Refund", "Refunded"],
    close: ["Pay-out", "Paid out and closed"], scratch: ["Scratching", "Scratched"],
    activate: ["Activation", "Activated"], demo: ["Demo user", "Demo user written"],
    issue: ["New card", "Card issued"], adopt: ["Conversion", "Card converted"],
    block: ["Block", "Card blocked"], unblock: ["Unblock", "Card unblocked"],
    forget: ["Name deletion", "Name deleted"], repair: ["Repair", "Card repaired"],
    replace: ["Replacement", "Card replaced"], "ticket/buy": ["Ticket", "Ticket bought"],
    "ticket/check": ["Tickets", "Tickets checked"], "ticket/claim": ["Prize", "Prize booked"],
    "mastermind/start": ["New game", "Game saved on the card"],
    "mastermind/resume": ["Game", "Game found on the card"],
    reverse: ["Undo top-up", "Top-up undone", "top-up undo"],
    offline: ["Offline payment", "Paid, booked later"],
    ask: ["Activation check"], ticket: ["Ticket"], claim: ["Prize"], payout: ["Prize in cash"],
    game: ["Saved game"], protect: ["Password protection"], unprotect: ["Password removal"],
  },
  fromBefore: (what, isDone) =>
    `The earlier ${what} ${isDone ? "went through" : "did not go through"}.`,
  // Requests in questions, before the amount.
  requests: {
    pay: "Charge", add: "Add", refund: "Refund", close: "Pay out", "ticket/buy": "Buy a ticket for",
  },
  onceMore: {
    "confirmation-needed": [(what) => `${what}?`, (amount) => `Yes, ${amount || "do it"}`],
    "just-resolved": [(what) => `${what} again?`, () => "Once more"],
    "same-card": [(what) => `${what} again?`, () => "Once more"],
  },
  phases: {
    seen: "Card seen", resolving: "Finishing an earlier operation", scratching: "Scratching",
    writing: "Writing to the card", asking: "Asking the service", working: "Working",
    committed: "Almost done\u2026", waiting: "waiting", done: "done", failed: "failed",
  },
  cancelled: {
    all: "Cancelled: nothing happened.",
    scratch: "Cancelled: the card was not scratched.",
    pay: "Cancelled: nothing was paid.", add: "Cancelled: nothing was added.",
  },
  panel: {
    hold: "Hold the card to the reader", holdTag: "Hold a tag to the reader",
    keep: "Keep the card on the reader", cancelling: "Cancelling\u2026", failed: "Not done",
    asking: "Connection lost. Checking whether it went through\u2026",
    left: (balance) => `${balance} left`, balance: (balance) => `Balance ${balance}`,
    afterwards: (balance) => `Balance after this: ${balance}`,
    replayed: "This was already done. Nothing was charged or added twice.",
    next: "Next customer", goBack: "Continue", undo: "Undo",
    undoOut: (amount) => `Undo, hand out ${amount}`,
    handOut: (amount) => `Hand out ${amount} now`,
  },
  unknown: {
    title: "Not sure it went through",
    // Of a card whose tag is the obstacle: what is open, and what it means until that has ended.
    kept: "Recorded in the ledger",
    yet: {
      add: "Keep the cash.", pay: "No payment so far.", "ticket/buy": "No payment so far.",
      close: "Hand out nothing.", reverse: "Hand out nothing yet.",
    },
    hold: "Hold the same card again.",
    press: "Press \u201cTap again\u201d and hold the same card.",
    wrongCard: "Wrong card. Hold the first one again.",
    noCard: "Hand out nothing until this is resolved.",
    again: "Tap again", leave: "Decide later",
  },

  scratch: {
    title: "Scratch",
    lead: "Rub the grey field for two seconds. If you leave sooner, nothing happens.",
    field: "Scratch field. Press Space or Enter to scratch.", button: "Scratch for me",
    working: "Scratching. Keep the card on the reader.", under: "Your code",
    hidden: "\u2022".repeat(8), done: "Scratched. This is the code on the card:",
    next: "Activate it", not: "There is nothing to scratch.", leave: "Leave without scratching",
  },
  activate: {
    title: "Activate",
    lead: "Sends the code on the card to the activation service.",
    action: "Send the code", notify: "Notify me if it fails",
    running: "Activation is running", runningHint: "You can leave; it continues.",
    failed: "The card was not activated", done: "The card is activated.",
    not: "There is nothing to activate.",
  },

  ...services,

  history: {
    title: "History", all: "All cards", card: "This card", which: "Whose history",
    none: "No activity yet.", takings: "Takings of the day", quiet: "No money moved.",
    day: "Day", before: "Previous day", after: "Next day",
    paid: "Paid", added: "Added", hour: "Hour", table: "Show as table",
    sums: (paid, payments, added, topUps) => `${paid} in ${counted(payments, "payment")}, `
      + `${added} in ${counted(topUps, "top-up")}`,
    payouts: (paidOut, payouts) => `${paidOut} handed out in ${counted(payouts, "payout")}`,
    drawer: (sum) => `Cash drawer: ${sum} over the day`,
    handedOut: (amount) => `Handed out ${amount}.`,
    chart: (paid, added) => `Bars by the hour: ${paid} paid, ${added} added`,
    entries: "Entries", activations: "Activation requests",
    refundAmount: "How much",
    // Texts for refunding a payment and undoing a top-up.
    back: {
      pay: {
        name: "Refund", action: "Refund it", done: "refunded",
        title: (amount) => `Refund ${amount}?`,
        lines: (card, amount) => [`${amount} goes back onto ${card}.`],
      },
      add: {
        name: "Undo top-up", action: "Undo it", done: "undone",
        title: (amount) => `Undo the top-up of ${amount}?`,
        lines: (card, amount) => [`${amount} comes off ${card}.`, `You hand out ${amount}.`],
      },
    },
    whose: (uid, name) => (name ? `${name}\u2019s card` : `card ${uid}`),
    balance: (balance) => `balance ${balance}`, by: (cashier) => `by ${cashier}`,
    states: { pending: "open until the next tap", voided: "did not go through" },
    activation: (state, version) => (version ? `${state}, version ${version}` : state),
  },

  cards: {
    title: "Card tools",
    lead: "Manage the card on the reader, or enter a card number.",
    card: "Card number", cardHint: "Leave empty for the card on the reader",
    cardFault: "Enter its 14 digits and letters A to F", onReader: "The card on the reader.",
    elsewhere: "This card is not the one on the reader",
    takeOff: "Remove this card first. The replacement needs another tag.",
    accept: "Balance to carry over",
    acceptHint: "Only for Convert. Leave empty to start at 0",
    ask: (action) => `${action}?`, handOut: (amount) => `You hand out ${amount}.`,
    actions: {
      issue: ["Issue a card", "Turns a blank tag into a card."],
      demo: ["Write the demo user", "Amanda Gonzalez, number 1, empty balance."],
      adopt: ["Convert", "Converts another system's card.",
        "The tag becomes a card of this business. Its old content no longer counts, except for the "
        + "balance that you carry over."],
      repair: ["Repair", "Rewrites the card from the ledger.",
        "With a card number, even a card that was not accepted becomes valid. Make sure this is "
        + "the original: repairing a copy would make the copy valid, and that cannot be undone."],
      block: ["Block", "Payments and top-ups are refused until you unblock it.",
        "Payments and top-ups with this card will be refused. You can unblock it later."],
      unblock: ["Unblock", "Payments and top-ups work again.",
        "Anyone holding the card can pay with it again. Make sure that its owner has it."],
      replace: ["Replace a lost card", "Moves its balance to a new tag. Needs its number.",
        "The lost card becomes worthless for good, even if it is found again."],
      close: ["Pay out and close", "Empties the card; you hand out the cash.",
        "The card is emptied and its account closed. This cannot be undone. Hand out the cash "
        + "only after the check mark."],
      forget: ["Delete name", "Removes the customer's name.",
        "The name is deleted from the ledger now and from the card at its next tap. This cannot "
        + "be undone."],
    },
  },
  making: {
    overwrite: ["Overwrite this tag?", "Everything on the tag is lost for good.", "Overwrite"],
    reissue: ["Close the old account of this card?",
      "The card's old account is closed for good, with any balance on it. A new one starts on the "
      + "same tag.", "Close it and start a new one"],
    again: ["Issue this card again?",
      "Its old account is closed. A new one starts on the same tag.", "Issue it again"],
    held: (amount) => `The old account holds ${amount}. You hand it out.`,
  },
  issue: {
    title: "Issue a card",
    lead: "Any phone can read the name and number on this card, except on an NTAG 424.",
    name: "Name of the holder", id: "Number", idFault: "Enter a whole number from 1",
    balance: "Starting balance (cash received)", noScratch: "Without a scratch card",
    protect: "Protect the tag with a password",
    protectHint: "Without this station's keys, it can never be removed.",
    proven: "This chip cannot be copied, so it needs no password.",
    elsewhere: "This till cannot issue cards. Use another one.", action: "Issue card",
  },

  health: {
    title: "Health", reader: "Reader", tills: "Tills", ledger: "Ledger",
    findings: "Diagnosis",
    severity: { ok: "Good", note: "Note", problem: "Problem" }, noFindings: "Nothing to report.",
    look: "Check again", audit: "Check the ledger now",
    auditHint: "Checks every card and operation.",
    auditGood: (cards, operations) =>
      `Every invariant holds: ${counted(cards, "card")}, ${counted(operations, "operation")}.`,
    auditOpen: (open) => `${open} open until the next tap of their cards.`,
    auditBad: (count) => `Broken: ${counted(count, "invariant")}. Stop taking money.`,
    activating: (uid) => `Card ${uid}: the service was asked and has not answered.`,
    server: "Server", version: "version", copy: "Copy", copied: "Copied",
  },
  simulator: {
    title: "Simulated reader", badge: "Simulated",
    lead: "Plays a reader and its tags. No hardware, no real money.",
    put: "Put on", take: "Take off", fresh: (chip) => `New ${chip}`,
    tags: "Tags", none: "No tags yet.", on: "on the reader",
    unsigned: "Only the maker can sign a chip, so most of these have no maker's signature.",
    tear: "Tear at the next write", fault: "Fault", arm: "Arm", disarm: "Disarm",
    armed: (fault) => `Armed: ${fault}`, example: "3 torn old",
    faults: {
      "1 torn old": "Torn, old page stays", "2 torn mix 7": "Torn, bits mixed",
      "1 pulled-after": "Pulled after it", "1 acknowledge-lost": "Answer lost",
    },
    // A chip with commands writes one whole, or not at all.
    chipFaults: {
      "1 torn old": "Torn, nothing written", "1 torn new": "Torn, all written",
      "1 pulled-after": "Pulled after it", "1 acknowledge-lost": "Answer lost",
    },
  },
  login: {
    lead: "Log in to start.", cashier: "Cashier", password: "Password",
    action: "Log in", out: "Log out", as: (name) => `Cashier ${name}`,
  },
};
