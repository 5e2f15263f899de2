// Tickets in two sections, and the actions: buy, check, and claim.

import { load, problemOf } from "./api.js";
import { serveAgain } from "./till.js";
import { h, icon } from "./dom.js";
import { ball, ballSigns, lotteryTabs, staleNote } from "./lottery.js";
import { confirmed } from "./notices.js";
import { may } from "./roles.js";
import { draft, isBarred, isUsable, setDraft, state, trustedCard } from "./store.js";
import { say } from "./strings.js";
import { begin, dismiss } from "./tasks.js";
import { button, choice, heading, loaded, note, rows } from "./ui.js";
import { dayWords, shown, uidWords } from "./words.js";

const LIMIT_EXCEEDED = "limit-exceeded";
const words = say.tickets;

function enter() {
  const card = draft("tickets.card", null);
  load("tickets", card ? `tickets?card=${card}` : "tickets");
}

function show(card) {
  setDraft("tickets.card", card);
  setDraft("tickets.checked", null);
  enter();
}

// The result for the card is shown until another list is loaded.
const check = () => begin("ticket/check", {}, {
  then: ({ id, status, answer }) => {
    if (status !== "done" || state.route.name !== "tickets") return;
    setDraft("tickets.checked", answer);
    dismiss(id);
  },
});

function buy(price) {
  // The request specifies the displayed card, because another card may be on the reader by the time
  // the server reads it.
  const card = trustedCard()?.uid;
  begin("ticket/buy", card ? { card } : {}, { about: price });
}

function claim(ticket, isPaidOut) {
  setDraft("tickets.checked", null);
  begin("ticket/claim", { ticket: ticket.id, ...(isPaidOut && { paidOut: true }) }, {
    about: shown(ticket.prize),
    then: ({ id, problem }) => {
      // A prize that does not fit on the card can still be paid out in cash.
      if (problem?.error !== LIMIT_EXCEEDED || isPaidOut) return;
      dismiss(id);
      payOut(ticket, problem.title);
    },
  });
}

async function payOut(ticket, reason) {
  const title = words.payOutTitle(shown(ticket.prize));
  if (await confirmed(title, [reason, words.payOutLine], words.payOut, "")) claim(ticket, true);
}

function claimPart(ticket) {
  const said = ticket.claim ?? { true: "done", false: "card" }[ticket.claimed];
  const act = { card: () => claim(ticket), drawer: () => payOut(ticket) }[said];
  return act ? button(words.claims[said], act,
    { tone: "strong small", disabled: !isUsable() || isBarred(), money: true })
    : h("small", words.claims[said]);
}

const verdict = (ticket) => typeof ticket.won === "boolean" && h("p.verdict",
  { class: ticket.won ? "won" : "" },
  ticket.won && icon("check"),
  h("strong", ticket.won ? words.won(ticket.prize ? shown(ticket.prize) : "") : words.notWon),
  ticket.won && may("ticket/claim") && claimPart(ticket));

const row = (ticket) => h("li.ticket-row", { key: ticket.id },
  h("p.when",
    h("strong", ticket.date ? dayWords(ticket.date) : words.draw(ticket.draw)),
    ticket.uid && h("small", say.cardWords(uidWords(ticket.uid)))),
  h("ul.balls",
    ticket.balls.map(({ number, match }, index) => ball(number, match, index)),
    ball(ticket.bonus.number, ticket.bonus.match === "yes" ? "bonus" : ticket.bonus.match,
      "bonus", say.draws.bonus)),
  verdict(ticket));

const legend = () => h("ul.legend", { "aria-label": words.legend },
  Object.entries(ballSigns).map(([match, sign]) =>
    h("li", h("span.ball", { class: match }, icon(sign)), words.match[match])));

// If the tickets could not be read, an empty list does not mean that there are none.
const lists = (value) => [
  staleNote(value),
  value.message && note(problemOf(value), "warn", "warn"),
  value.uid && note(say.cardWords(uidWords(value.uid)), "card"),
  h("section.part", h("h2", words.upcoming),
    rows(value.upcoming, row, value.error ? say.none : words.noneUpcoming)),
  h("section.part", h("h2", words.drawn), legend(),
    rows(value.drawn, row, value.error ? say.none : words.noneDrawn)),
];

/** Goes back to the tickets of all cards, because another customer's card was tapped. */
export function leaveTickets() {
  if (draft("tickets.card", null) || draft("tickets.checked", null)) show(null);
}

export const tickets = {
  title: words.title,
  enter,
  render({ card, data, settings }) {
    const chosen = draft("tickets.card", null);
    const checked = draft("tickets.checked", null);
    const listed = checked?.uid ?? chosen;
    const uid = listed ?? card?.read?.uid;
    const price = shown(settings?.ticketPrice);
    const again = serveAgain("ticket/buy");
    return [
      heading(words.title),
      lotteryTabs(false),
      h("div.row",
        !again && button(words.buy(price), () => buy(price),
          { tone: "strong", sign: "ticket", disabled: !isUsable() || isBarred(), money: true }),
        button(words.check, check, { sign: "waves", disabled: !isUsable() })),
      again && h("div.side", again),
      uid && choice(words.which, [[null, words.all], [uid, words.card]], listed, show),
      checked ? lists(checked) : loaded(data.tickets, lists, enter),
    ];
  },
};
