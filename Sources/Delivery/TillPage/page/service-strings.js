// The texts of the lottery and of the game; those of the rest are in strings.js.

export const services = {
  // Shown before the first request to a service's built-in address.
  unconfirmed: {
    title: (host) => `Connect to ${host}?`,
    line: "tapcard won't connect until you confirm this address. Nothing has been sent.",
    action: "Confirm address",
    operator: "Only the operator can confirm this address. Nothing has been sent.",
  },
  draws: {
    tabs: "Lottery", title: "Draws", none: "No draws yet.",
    next: "Next draw", previous: "Previous draw", all: "All draws", top: "Top prize",
    bonus: "Bonus", keys: "Swipe, or use the arrow keys. The dashed ball is the bonus.",
    dashed: "The dashed ball is the bonus.",
    stale: (age) => `Last updated ${age}. The lottery cannot be reached.`,
  },
  tickets: {
    title: "My tickets", upcoming: "Upcoming", drawn: "Drawn",
    noneUpcoming: "No tickets waiting for a draw.", noneDrawn: "No drawn tickets yet.",
    all: "All tickets", card: "Tickets of this card", which: "Which tickets",
    won: (prize) => `won ${prize}`, notWon: "not won",
    match: { yes: "matched", no: "not matched", bonus: "bonus matched" },
    buy: (price) => `Buy a ticket, ${price}`, check: "Check a card's tickets",
    payOut: "Pay out of the drawer", payOutTitle: (prize) => `Pay ${prize} out of the drawer?`,
    payOutLine: "It does not fit on the card. Booking it as paid in cash cannot be undone.",
    claims: {
      card: "Claim onto the card", drawer: "Pay out of the drawer", done: "claimed",
      "paid-out": "paid out", blocked: "its card is blocked", never: "cannot be claimed",
      elsewhere: "claim it at another till",
    },
    draw: (draw) => `Draw ${draw}`, legend: "What the balls mean",
  },
  mastermind: {
    title: "Mastermind", board: "Board", ranking: "Ranking", user: "Name at the service",
    loggedIn: (user) => `Logged in as ${user}.`,
    newGame: "New game", slots: "Colours to find", anySlots: "All", start: "Start",
    keep: "Save it on a card", keepHint: "You tap the card now; another tap resumes the game.",
    resume: "Resume from a card", none: "No game in progress.",
    abandon: "A new game replaces this one.",
    turn: (number) => `Guess ${number}`,
    pegs: (black, white) => `${black} in place, ${white} elsewhere`,
    pegsHelp: "Filled: right colour and place. Ring: right colour, wrong place.",
    yours: "Your guess", place: (number, colour) => `Place ${number}: ${colour}`,
    colours: ["empty", "red", "blue", "yellow", "green", "violet", "white"], palette: "Colours",
    keys: "Keys 1 to 6 choose, Backspace takes back, Enter guesses.",
    guess: "Guess", takeBack: "Take back",
    solved: (guesses) => `Solved with ${guesses === 1 ? "one guess" : `${guesses} guesses`}.`,
    columns: ["Name", "Guesses", "Colours", "When"], noRanking: "No solved games yet.",
  },
};
