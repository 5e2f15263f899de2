// The texts of the lottery and of the game; those of the rest are in strings.js.

export const services = {
  draws: {
    tabs: "Lottery", title: "Draws", none: "No draw has taken place yet.",
    next: "Next draw", previous: "Previous draw", all: "All draws", top: "Top prize",
    bonus: "Bonus", keys: "Swipe, or use the arrow keys. The dashed ball is the bonus.",
    dashed: "The dashed ball is the bonus.",
    stale: (age) => `Kept from ${age}: the lottery could not be asked.`,
  },
  tickets: {
    title: "My tickets", upcoming: "Upcoming", drawn: "Drawn",
    noneUpcoming: "No ticket waits for a draw.", noneDrawn: "No ticket was drawn yet.",
    all: "All tickets", card: "Tickets of this card", which: "Which tickets",
    won: (prize) => `won ${prize}`, notWon: "not won",
    match: { yes: "matched", no: "not matched", bonus: "bonus matched" },
    buy: (price) => `Buy a ticket, ${price}`, check: "Check a card's tickets",
    payOut: "Pay out of the drawer", payOutTitle: (prize) => `Pay ${prize} out of the drawer?`,
    payOutLine: "There is no room for it on the card. It is booked as paid in cash, once and for "
      + "good.",
    claims: {
      card: "Claim onto the card", drawer: "Pay out of the drawer", done: "claimed",
      "paid-out": "paid out", blocked: "its card is blocked", never: "cannot be claimed",
      elsewhere: "claim it at another counter",
    },
    draw: (draw) => `for ${draw}`, legend: "What the balls mean",
  },
  mastermind: {
    title: "Mastermind", board: "Board", ranking: "Ranking", user: "Name at the service",
    loggedIn: (user) => `Logged in as ${user}.`,
    newGame: "New game", slots: "Colours to find", anySlots: "All", start: "Start",
    keep: "Keep it on the card", keepHint: "The card is asked for; a tap brings the game back.",
    resume: "Resume from a card", none: "No game is going on.",
    abandon: "A new game takes this one's place.",
    turn: (number) => `Guess ${number}`,
    pegs: (black, white) => `${black} in place, ${white} elsewhere`,
    pegsHelp: "Filled: right colour and place. Ring: right colour, wrong place.",
    yours: "Your guess", place: (number, colour) => `Place ${number}: ${colour}`,
    colours: ["empty", "red", "blue", "yellow", "green", "violet", "white"], palette: "Colours",
    keys: "Keys 1 to 6 choose, Backspace takes back, Enter guesses.",
    guess: "Guess", takeBack: "Take back",
    solved: (guesses) => `Solved with ${guesses === 1 ? "one guess" : `${guesses} guesses`}.`,
    columns: ["Name", "Guesses", "Colours", "When"], noRanking: "Nobody has solved one yet.",
  },
};
