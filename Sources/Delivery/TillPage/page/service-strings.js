// Strings for the services, sounds, History, Health, and the simulated reader. All others are in
// strings.js.

const counted = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

export const services = {
  sounds: {
    on: "Turn sounds on", off: "Turn sounds off",
    blocked: "Sounds are blocked: turn on",
  },
  // Shown before the first request to a service's built-in address.
  unconfirmed: {
    title: (host) => `Connect to ${host}?`,
    line: "Check the address above. Nothing will be sent until you confirm it.",
    action: "Confirm address",
    operator: "Only the operator can confirm this address. Nothing has been sent.",
  },
  activate: {
    title: "Activate",
    lead: "The card's code will be sent to the activation service over the internet.",
    action: "Activate code", notify: "Notify me if it fails",
    running: "Activating\u2026",
    runningHint: "You can leave this page; activation will continue.",
    // Without a usable response, the page cannot tell whether the service activated the code.
    failed: "Activation failed", unconfirmed: "Activation not confirmed",
    done: "Code activated", not: "There is no code to activate on this card.",
  },
  draws: {
    tabs: "Draws and tickets", title: "Draws", none: "No draws yet.",
    next: "Next draw", previous: "Previous draw", all: "All draws", top: "Top prize",
    bonus: "Bonus",
    keys: "Swipe or use the arrow keys to move between draws. The ball with the dashed outline is "
      + "the bonus ball.",
    dashed: "The ball with the dashed outline is the bonus ball.",
    stale: (age) => `The list could not be updated. Last updated ${age}.`,
  },
  tickets: {
    title: "Tickets", upcoming: "Upcoming draws", drawn: "Past draws",
    noneUpcoming: "No tickets for upcoming draws.", noneDrawn: "No tickets for past draws.",
    all: "All cards", card: "This card", which: "Tickets to show",
    won: (prize) => (prize ? `Won ${prize}` : "Won"), notWon: "No prize",
    match: { yes: "Drawn", no: "Not drawn", bonus: "Bonus ball" },
    buy: (price) => `Buy a ticket for ${price}`, check: "Check a card's tickets",
    payOut: "Pay out in cash", payOutTitle: (prize) => `Pay out ${prize} in cash?`,
    payOutLine: "This prize cannot be added to the card. A payout cannot be undone; give the "
      + "customer the cash only after the check mark appears.",
    claims: {
      card: "Add to card", drawer: "Pay out in cash", done: "added to the card",
      "paid-out": "paid out in cash", blocked: "card blocked, prize on hold",
      never: "can no longer be claimed", elsewhere: "cannot be claimed at this station",
    },
    draw: (draw) => `Date unknown (${draw})`, legend: "What the balls mean",
  },
  mastermind: {
    title: "Mastermind", board: "Board", ranking: "Rankings", user: "User name",
    loggedIn: (user) => `Logged in as ${user}.`,
    newGame: "New game", slots: "Code length", anySlots: "Any length", start: "Start game",
    keep: "Save the game to a card",
    keepHint: "Tap a card with enough space for the game. To continue later, press \u201cResume "
      + "from a card\u201d, then tap that card.",
    resume: "Resume from a card", none: "No game in progress.",
    abandon: "Starting a new game ends the current game.",
    turn: (number) => `Guess ${number}`,
    pegs: (black, white) => `${black} right place, ${white} wrong place`,
    pegsHelp: "Filled: right color, right place. Ring: right color, wrong place.",
    yours: "Your guess", place: (number, color) => `Position ${number}: ${color}`,
    colors: ["empty", "red", "blue", "yellow", "green", "violet", "white"], palette: "Colors",
    keys: "Press 1 to 6 to set a color, arrow keys to move, Backspace to delete, Enter to send.",
    guess: "Guess", takeBack: "Remove last",
    solved: (guesses) => `Solved in ${guesses} ${guesses === 1 ? "guess" : "guesses"}.`,
    columns: ["Player", "Guesses", "Code length", "Date"], noRanking: "No results yet.",
  },
  simulator: {
    title: "Simulated reader", badge: "Simulated",
    lead: "The reader and tags are simulated and use a separate ledger.",
    put: "Put on reader", take: "Remove", fresh: (chip) => `New ${chip}`,
    tags: "Tags", none: "No tags yet.", on: "On the reader",
    unsigned: "Only the manufacturer can sign a chip. The first tag of each type may have a real "
      + "signature; the others have none.",
    tear: "Pull the tag away during a write", fault: "Fault", arm: "Set", disarm: "Clear",
    armed: (fault) => `Fault set: ${fault}`, example: "3 torn old",
    faults: {
      "1 torn old": "1st write: old content", "2 torn mix 7": "2nd write: mixed bits",
      "1 pulled-after": "Removed after 1st write",
      "1 acknowledge-lost": "1st write: response lost",
    },
    // An NTAG 424 performs each write completely or not at all, so no mix of bits is possible.
    chipFaults: {
      "1 torn old": "Not written", "1 torn new": "Written, then interrupted",
      "1 pulled-after": "Removed after the write", "1 acknowledge-lost": "Written, response lost",
    },
  },
  products: {
    title: "Products", link: "Edit products",
    lead: "What the tills sell. Changes apply at once; earlier sales keep their prices.",
    none: "No products yet. Without products, sales are typed as amounts.",
    noGroup: "Without a group",
    add: "Add product", edit: "Edit", change: (name) => `Edit ${name}`, save: "Save",
    saved: (name) => `${name} saved.`,
    name: "Name", nameMissing: "Enter a name.",
    nameTaken: (name) => `There is already a product named ${name}.`,
    group: "Group, such as Drinks (optional)",
    price: "Price", ask: "Enter the price at each sale", asked: "price entered at each sale",
    color: "Color of the tile", noColor: "None",
    colors: {
      red: "Red", orange: "Orange", yellow: "Yellow", green: "Green", blue: "Blue",
      purple: "Purple", gray: "Gray",
    },
    deposit: "Deposit sold with it", noDeposit: "None",
    depositHint: "A cup or a bottle. Add it as a product first.",
    with: (deposit) => `with ${deposit}`,
    age: "Minimum age (optional)", ageFault: "Enter an age from 1 to 99, or leave this blank.",
    from: (age) => `from age ${age}`,
    soldOut: "Sold out", soldOutOf: (name) => `${name} is sold out`,
    nowSoldOut: (name) => `${name} is sold out.`, backOnSale: (name) => `${name} is on sale again.`,
    up: (name) => `Move ${name} up`, down: (name) => `Move ${name} down`,
    moved: (name, place) => `${name} is now number ${place} in its group.`,
    retire: "Stop selling", retireAsk: (name) => `Stop selling ${name}?`,
    retireLine: "It stays in reports. To sell it again, add it with the same name.",
    retired: (name) => `${name} is no longer sold.`,
  },
  receipt: {
    title: "Receipt", name: "Receipt", of: (what) => `Receipt: ${what}`,
    print: "Print", browser: "Use the browser to print", printing: "Printing\u2026",
    printed: "Printed.", copied: "Printed as a copy.",
    failed: "The receipt printer does not work.",
    unaffected: "Payments work, but no receipts are printed. See Health.",
  },
  history: {
    title: "History", all: "All cards", card: "This card", which: "Activity to show",
    none: "No activity yet.", takings: "Daily totals, all tills",
    quiet: "No payments, top-ups, or payouts.",
    day: "Day", before: "Previous day", after: "Next day",
    paid: "Paid", added: "Topped up", hour: "Hour", table: "Show as table",
    sums: (paid, payments, added, topUps) =>
      `${counted(payments, "payment")}: ${paid}, ${counted(topUps, "top-up")}: ${added}`,
    payouts: (paidOut, payouts) => `${counted(payouts, "payout")}: ${paidOut}`,
    drawer: (sum) => `Net cash for the day, all tills: ${sum}`,
    handedOut: (amount) => `Cash paid out: ${amount}.`,
    chart: (paid, added) => `${paid} in payments and ${added} in top-ups, by hour`,
    entries: "Recent activity", more: "Show more", activations: "Activation requests",
    refundAmount: "Amount (blank for full amount)",
    // The wording for refunding a payment and undoing a top-up.
    back: {
      pay: {
        name: "Refund", action: "Refund payment", done: "refund recorded",
        title: (amount) => `Refund ${amount}?`,
        lines: (card, amount) =>
          [`${amount} will go back onto ${card}.`, "That card must be on the reader."],
      },
      add: {
        name: "Undo top-up", action: "Undo this top-up", done: "reversal recorded",
        title: (amount) => `Undo the ${amount} top-up?`,
        lines: (card, amount) => [`${amount} will be taken off ${card}.`,
          `Give the customer the ${amount} in cash only after the check mark appears.`],
      },
    },
    whose: (uid, name) => (name ? `${name}\u2019s card` : `card ${uid}`),
    balance: (balance) => `balance ${balance}`, by: (cashier) => `by ${cashier}`,
    states: { pending: "unfinished until the next tap", voided: "voided, no money moved" },
    activation: (state, version) => (version ? `${state}, version ${version}` : state),
  },
  reports: {
    title: "Reports", which: "Report", period: "Period", from: "From", to: "To",
    csv: "Download CSV", none: "No operations in this period.", sum: "Sum",
    days: (from, to) => (from === to ? from || "all days" : `${from || "start"} to ${to || "now"}`),
    names: {
      days: "Days", hours: "Hours", products: "Products", cashiers: "Cashiers",
      stations: "Stations", outstanding: "Outstanding balance", refunds: "Refunds",
    },
    spans: {
      today: "Today", yesterday: "Yesterday", week: "This week", month: "This month", all: "All",
    },
    texts: [
      "day", "hour", "cashier", "station", "product", "kind", "status", "lastUsed", "time",
      "operation", "card", "name", "reverses",
    ],
    values: {
      sold: "sold", returned: "returned", unnamed: "without a product", ticket: "lottery tickets",
      refund: "refunds", reverse: "top-up undone", undo: "sale undone",
    },
    columns: {
      day: "Day", hour: "Hour", cashier: "Cashier", station: "Station", product: "Product",
      kind: "Kind", quantity: "Quantity", amount: "Amount", status: "Status",
      lastUsed: "Last used", cards: "Cards", time: "Time", operation: "Operation", card: "Card",
      name: "Name", reverses: "Of operation", otherwise: "Paid otherwise", sales: "Sales",
      sold: "Sold", refunds: "Refunds", refunded: "Refunded", credits: "Credits",
      credited: "Credited", topUps: "Top-ups", reversals: "Undone", toppedUpCash: "Topped up, cash",
      toppedUpTerminal: "Topped up, terminal", toppedUpOther: "Topped up, other",
      restCash: "Rest, cash", restTerminal: "Rest, terminal", restOther: "Rest, other",
      payouts: "Payouts", paidOut: "Paid out", cashMoved: "Cash in and out",
      drawer: "Drawer",
    },
    equation: {
      loaded: "Topped up", adopted: "Adopted from other software", prizes: "Prizes added to cards",
      spent: "Spent with cards", paidOut: "Paid out", outstanding: "Outstanding",
      difference: "Difference",
    },
  },
  health: {
    title: "Health", reader: "Reader", tills: "Tills", ledger: "Ledger",
    findings: "Diagnostics",
    severity: { ok: "OK", note: "Note", problem: "Problem" }, noFindings: "Nothing to report.",
    look: "Run diagnostics again", audit: "Audit the ledger",
    auditHint: "Checks every card and every operation.",
    auditGood: (cards, operations) => "No problems found. "
      + `Checked ${counted(cards, "card")} and ${counted(operations, "operation")}.`,
    auditOpen: (open) => `${counted(open, "operation")} will be resolved when `
      + `${open === 1 ? "its card is" : "their cards are"} tapped again. This is normal.`,
    auditBad: (count) =>
      `${counted(count, "problem")} found. Stop all payments, top-ups, and payouts.`,
    activating: (uid) => `Activation of card ${uid} was requested; no response yet.`,
    server: "Server", version: "version", copy: "Copy", copied: "Command copied",
  },
};
