// All texts of the page, except those of the server. Those of the lottery and of the game are in
// service-strings.js.

import { services } from "./service-strings.js";

const counted = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

export const say = {
  brand: "tapcard", skip: "Skip to the content", none: "\u2013",
  nav: {
    home: "Counter", draws: "Lottery", mastermind: "Game", history: "History", desk: "Desk",
    health: "Health",
  },
  close: "Close", cancel: "Cancel", back: "Back", leaveIt: "Leave it as it is",
  again: "Try again", loading: "Loading\u2026", missing: "There is no such page.",
  another: "Another page",
  cardWords: (uid) => `Card ${uid}`, tagLeft: "The card was removed. Nothing was done.",

  counters: {
    title: "Which counter is this?",
    lead: "This browser remembers it. To choose another, press the name at the top.",
    one: (number) => `Counter ${number}`, here: "You are here. ",
    missing: (number) => `There is no counter ${number} any more. Choose another one.`,
  },
  link: {
    lost: "The server does not answer.",
    lostDetail: "What was begun is asked for when it is back.",
    banner: "The page keeps trying. Take no money and hand out nothing until it is back.",
    back: "The server is back.",
    badAnswer: (status) => `The server gave no proper answer (${status}).`,
  },
  // Refusals at the counter: what they mean for the money, and why.
  refused: {
    plain: "It was refused.",
    open: "Still open", openLine: "The history shows what becomes of it.",
    // For refusals whose server text names an operation by its id.
    named: { "not-refundable": "This cannot be taken back." },
    titles: {
      pay: "Not paid", add: "Not added", refund: "Not refunded", reverse: "Not undone",
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
      "blank-tag": ["This tag is blank.", "Hold a card to the reader."],
      "not-a-card": ["This tag is not a tapcard card.", "Hold a card to the reader."],
      "unsupported-tag": ["This tag is not a tapcard card.", "Hold a card to the reader."],
      "ledger-unavailable": ["The ledger is out of reach.", "No money moves until it is back."],
      "ledger-undeclared": [
        "No card can be charged before the owner has reopened the ledger.", "Take cash.",
      ],
      "keys-behind": ["This till lacks the key of the house.", "Ask the operator."],
      "ledger-unreachable": ["The ledger is out of reach.", "Try again later, or take cash."],
    },
    // Why this payment cannot be booked later.
    notDeferred: {
      "no-snapshot": () => "The ledger is out of reach.",
      "old-snapshot": () => "The ledger is out of reach for too long.",
      "no-record": () => "This card cannot be trusted now.",
      "unknown-card": () => "This till does not know the card yet.",
      "card-blocked": () => "The card is blocked.",
      "card-closed": () => "The card is closed.",
      "card-replaced": () => "The card was replaced.",
      "old-record": () => "The card shows an older state than it had.",
      "open-operation": () => "Something is open on the card.",
      balance: (left) => `As far as is known, only ${left} is left.`,
      "card-limit": (left) => `This card may pay only ${left} more.`,
      "station-limit": (left) => `This till may sell only ${left} more.`,
    },
    // ... where nothing at all is left.
    spent: {
      balance: "As far as is known, nothing is left.",
      "card-limit": "This card has paid enough.",
      "station-limit": "This till has sold enough.",
    },
    untilBack: "Take cash until the ledger is back.",
    onlyLeft: (amount) => `Only ${amount} is left on the card.`,
    tooLittle: "The card has less than that.",
  },
  // Payments that are booked when the ledger is back.
  deferral: {
    away: (left) =>
      `The ledger is out of reach; sales are booked later. You may sell ${left} more.`,
    stale: "The ledger is out of reach. Take cash until it is back.",
    unsettled: (sum) => `${sum} is still to be booked.`,
    settled: (when) => `The ledger is back. All was booked at ${when}.`,
    back: "The ledger is back.",
    hint: "Booked later", done: "The ledger is out of reach.",
    card: "The amount is what the card says, less what is still to be booked.",
  },
  reader: {
    ready: "Reader ready", missing: "No reader", looking: "Connecting",
    why: "No card can be read until one is there.", details: "What to do",
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
    empty: "Hold a card to the reader", emptyHint: "It is read at once.",
    away: "No card can be read", awayHint: "The reader is not there.",
    asking: "Waiting for a card", asked: "Hold it to the reader to see its funds.",
    nameless: "Bearer", number: (id) => `No. ${id}`,
    seen: (name, funds) => `Card of ${name}, ${funds} available.`,
    untrusted: "Do not take or give money on this card",
    proven: (chip) => `${chip}, cannot be copied`,
    unusable: "Not usable",
    plates: {
      "blank-tag": "Blank tag", "not-a-card": "Not a card", "unsupported-tag": "Not a card",
      "several-tags": "More than one tag", copied: "A copy", "key-missing": "Unknown key",
      "locked-tag": "Locked tag", "protected-tag": "Protected tag", other: "Not read",
    },
    display: {
      repaired: "What phones read on it was updated.",
      "out-of-date": "What phones read on it is out of date: Repair, at the desk, updates it.",
    },
    ledger: {
      unknown: "This ledger does not know the card.",
      blocked: "This card is blocked: no money moves on it. The desk can allow it again.",
      closed: "This card is closed.",
      replaced: "This card was replaced. Its money is on the other card.",
    },
    unsealed: "It carries no seal of ours.",
    adopt: "Take it over at the desk.",
    forgedChip: "The chip's signature is invalid: it may be an imitation.",
    scratch: {
      null: "No scratch card", unscratched: "Not scratched yet", scratching: "Being scratched",
      scratched: "Scratched", activating: "Being activated", activated: "Activated",
    },
  },
  home: {
    title: "Counter", ways: "What to do with it",
    funds: "Funds available", fundsAsk: "Tap to ask for a card",
    pay: "Take a payment", payHint: "Off the card",
    add: "Add funds", addHint: "Cash is in the drawer",
    barred: "No money moves on this card", notThis: "Not available for this card",
    noReader: "Needs the reader",
    noLedger: {
      "ledger-undeclared": "Not before the ledger is reopened",
      "keys-behind": "Needs the key of the house", other: "Not while the ledger is out of reach",
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
    elsewhere: "Only at another counter",
    demo: "Write the demo user",
    demoHint: "The demo user is Amanda Gonzalez, number 1, without funds.",
    issue: "Issue a card", issueAgain: "Issue it again", history: "History of this card",
  },
  pay: { title: "Take a payment", lead: "Choose what is paid.", action: "Take" },
  add: { title: "Add funds", lead: "Choose what was paid in.", action: "Add" },
  money: {
    presets: "Usual amounts", label: "Another amount",
    on: (name, funds) => `${name}, ${funds} available`,
    nobody: "No card on the reader: it is asked for next.",
    notNow: "No money moves on this card.",
    elsewhere: "This counter adds no funds. Do it at another one.",
  },
  // Messages for a card that stays on the reader after an operation, with the label to repeat it.
  served: {
    pay: ["This card has just paid. Take it off, or go on with it.",
      "Charge the same card again"],
    add: ["Funds were just added to this card. Take it off, or go on with it.",
      "Add to the same card again"],
    "ticket/buy": ["This card has just paid for a ticket.", "Charge the same card again"],
  },

  // Names of the actions, and their messages of success.
  verbs: {
    pay: ["Payment", "Paid"], add: ["Top-up", "Added"], refund: ["Refund", "Refunded"],
    close: ["Pay-out", "Paid out and closed"], scratch: ["Scratching", "Scratched"],
    activate: ["Activation", "Activated"], demo: ["Demo user", "Demo user written"],
    issue: ["New card", "Card issued"], adopt: ["Taking over", "Card taken over"],
    block: ["Block", "Card blocked"], unblock: ["Unblock", "Card allowed again"],
    forget: ["Name forgotten", "Name forgotten"], repair: ["Repair", "Card written again"],
    replace: ["Replacement", "Card replaced"], "ticket/buy": ["Ticket", "Ticket bought"],
    "ticket/check": ["Tickets", "Tickets checked"], "ticket/claim": ["Prize", "Prize booked"],
    "mastermind/start": ["New game", "Game kept on the card"],
    "mastermind/resume": ["Game", "Game found on the card"],
    reverse: ["Reversal", "Reversed"],
    deferred: ["Payment, booked later", "Paid, booked later"],
    ask: ["Asked again"], ticket: ["Ticket"], claim: ["Prize"], payout: ["Prize in cash"],
    game: ["Game kept"], protect: ["Password on"], unprotect: ["Password off"],
  },
  fromBefore: (what, done) => `From before: ${what}. ${done ?? "It did not happen"}.`,
  onceMore: {
    "confirmation-needed": [(what) => `${what}?`, (amount) => `Yes, ${amount || "do it"}`],
    "just-settled": [(what) => `${what}, once more?`, () => "Once more"],
  },
  phases: {
    seen: "Card seen", settling: "Settling what was open", scratching: "Scratching",
    writing: "Writing to the card", asking: "Asking the service", working: "Working",
    committed: "Recorded; being confirmed", waiting: "waiting", done: "done", failed: "failed",
  },
  cancelled: {
    all: "Cancelled: nothing happened.",
    scratch: "Scratching was cancelled: nothing happened, the card is unscratched.",
    pay: "Cancelled: nothing was paid.", add: "Cancelled: nothing was added.",
  },
  stage: {
    hold: "Hold the card to the reader", holdTag: "Hold a tag to the reader",
    keep: "Keep the card there", cancelling: "Cancelling\u2026", failed: "Not done",
    asking: "The connection was lost. What became of this is being asked for.",
    balance: (funds) => `${funds} available now`,
    left: (funds) => `${funds} left on the card`,
    afterwards: (funds) => `${funds} on the card after this`,
    replayed: "It had been done before; nothing moved a second time.",
    goBack: "Tap to go on", undo: "Undo",
    undoOut: (amount) => `Undo, hand out ${amount}`,
    handOut: (amount) => `Hand out ${amount} now`,
  },
  unknown: {
    title: "Outcome unknown",
    // Of a card whose tag is the obstacle: what is open, and what it means until that has ended.
    kept: "The ledger has it",
    yet: {
      add: "Keep the cash.", pay: "So far it is not paid.", "ticket/buy": "So far it is not paid.",
      close: "Hand out nothing.", reverse: "Hand out nothing yet.",
    },
    hold: "Hold the same card again.",
    press: "Press \u201cTap again\u201d and hold the same card.",
    wrongCard: "Wrong card. Hold the first one again.",
    noCard: "Hand out nothing until this has changed.",
    again: "Tap again", leave: "Leave it open",
  },

  scratch: {
    title: "Scratch",
    lead: "Rub the grey field. It takes two seconds; leave before that and nothing happens.",
    field: "Scratch field. Press Space or Enter to scratch.", button: "Scratch for me",
    working: "Scratching: keep the card there", under: "Your code",
    hidden: "\u2022".repeat(8), done: "Scratched. This is the code on the card:",
    next: "Activate it", not: "There is nothing to scratch.", leave: "Leave without scratching",
  },
  activate: {
    title: "Activate",
    lead: "The code on the card is sent to the activation service. It goes on when you leave.",
    action: "Send the code", notify: "Notify me if it fails",
    running: "Activation is running",
    runningHint: "You may leave: the answer is recorded and written to the card.",
    failed: "The card was not activated", done: "The card is activated.",
    not: "There is nothing to activate.",
  },

  ...services,

  history: {
    title: "History", all: "All cards", card: "This card", which: "Whose history",
    none: "Nothing was done yet.", takings: "Takings of the day", quiet: "No money moved.",
    day: "Day", before: "The day before", after: "The day after",
    paid: "Paid", added: "Added", hour: "Hour", table: "The same as a table",
    sums: (paid, payments, added, additions) => `${paid} in ${counted(payments, "payment")}, `
      + `${added} in ${counted(additions, "addition")}`,
    payouts: (paidOut, payouts) => `${paidOut} handed out in ${counted(payouts, "payout")}`,
    drawer: (sum) => `Cash drawer: ${sum} over the day`,
    handedOut: (amount) => `Handed out ${amount}.`,
    chart: (paid, added) => `Bars by the hour: ${paid} paid, ${added} added`,
    entries: "Entries", activations: "Asked of the activation service",
    refundAmount: "How much",
    // Texts for taking back a payment or an addition.
    back: {
      pay: {
        name: "Refund", action: "Refund it", done: "refunded",
        title: (amount) => `Refund ${amount}?`,
        lines: (uid) => [`The payment is reversed onto card ${uid}, once and for good.`],
      },
      add: {
        name: "Reverse", action: "Reverse it", done: "reversed",
        title: (amount) => `Reverse ${amount}?`,
        lines: (uid, amount) => [`You hand out ${amount}.`,
          `The funds leave card ${uid}, once and for good. The card is needed for it.`],
      },
    },
    balance: (funds) => `then ${funds}`, by: (cashier) => `by ${cashier}`,
    states: { pending: "open until the next tap", voided: "did not happen" },
    activation: (state, version) => (version ? `${state}, version ${version}` : state),
  },

  desk: {
    title: "Desk",
    lead: "What an operator may do to the card on the reader, or to the one with this number.",
    card: "Card number", cardHint: "Empty: the card on the reader",
    cardFault: "Write its 14 digits and letters A to F", onReader: "The card on the reader.",
    elsewhere: "This card is not the one on the reader",
    takeOff: "Take this one off first: it needs another tag.",
    accept: "Balance on the tag that you accept",
    acceptHint: "Only for taking over. Empty: it counts for nothing",
    ask: (action) => `${action}?`, handOut: (amount) => `You hand out ${amount}.`,
    actions: {
      issue: ["Issue a card", "Makes a card of a blank tag."],
      demo: ["Write the demo user", "Amanda Gonzalez, number 1, no funds."],
      adopt: ["Take over", "Makes a card of ours of one that others wrote.",
        "The tag is sealed with this station's keys. What it said before counts no more, except "
        + "for the amount that you accept."],
      repair: ["Repair", "Writes the card again from the ledger.",
        "With a number, a card that cannot be trusted is sealed again. Do it only with the card in "
        + "hand that you believe to be the honest one: a copy would become the true card, and that "
        + "cannot be undone."],
      block: ["Block", "No money moves on it until it is allowed again.",
        "Every payment on it is refused from now on. You can allow it again."],
      unblock: ["Allow again", "Money moves on it again.",
        "Whoever holds the card can pay with it again: be sure that it is its owner."],
      replace: ["Replace a lost card", "Moves its funds onto a new tag. Needs its number.",
        "The lost card is worth nothing afterwards, for good, even if it is found again."],
      close: ["Pay out and close", "Empties the card; you hand out the cash.",
        "The card is emptied and its account closed. That cannot be undone. Hand out the money "
        + "only after the check mark."],
      forget: ["Forget the name", "Blanks the holder's name.",
        "The name goes out of the ledger at once and off the card at its next tap. It cannot be "
        + "brought back."],
    },
  },
  making: {
    overwrite: ["Write over what is on this tag?",
      "Everything on the tag now is lost for good; nothing can bring it back.", "Write over it"],
    reissue: ["Close the old account of this card?",
      "The account that the card had is closed for good, with whatever it held. A new one begins "
      + "on the same tag.", "Close it and start a new one"],
    again: ["Issue this card again?",
      "Its old account has ended. A new one begins on the same tag.", "Issue it again"],
    held: (amount) => `The old account holds ${amount}. You hand it out.`,
  },
  issue: {
    title: "Issue a card",
    lead: "Makes a card of a blank tag. Phones read name and number, except off an NTAG424.",
    name: "Name of the holder", id: "Number", idFault: "Write a whole number from 1",
    balance: "Funds to begin with, paid in cash", noScratch: "Without a scratch card",
    protect: "Protect the tag with a password",
    protectHint: "Without this station's keys it can never be taken off again.",
    proven: "This chip proves itself: its card cannot be copied, and needs no password.",
    elsewhere: "This counter makes no cards. Do it at another one.", action: "Issue it",
  },

  health: {
    title: "Health", reader: "Reader", counters: "Counters", ledger: "Ledger",
    findings: "What the doctor says",
    severity: { ok: "Good", note: "Note", problem: "Problem" }, noFindings: "Nothing to report.",
    look: "Look again", audit: "Check the ledger now",
    auditHint: "Goes over every card and operation.",
    auditGood: (cards, operations) =>
      `Every invariant holds: ${counted(cards, "card")}, ${counted(operations, "operation")}.`,
    auditOpen: (open) => `${open} open until the next tap of their cards.`,
    auditBad: (count) => `Broken: ${counted(count, "invariant")}. Stop taking money.`,
    activating: (uid) => `Card ${uid}: the service was asked and has not answered.`,
    server: "Server", version: "version", copy: "Copy", copied: "Copied",
  },
  simulator: {
    title: "Simulated reader", badge: "Simulated",
    lead: "No hardware and no real money: what a reader would do, played.",
    put: "Put on", take: "Take off", fresh: (chip) => `New ${chip}`,
    tags: "Tags", none: "No tag was made yet.", on: "on the reader",
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
    lead: "This counter asks who stands at it.", cashier: "Cashier", password: "Password",
    action: "Log in", out: "Log out", as: (name) => `Cashier ${name}`,
  },
};
