// The counters of the house: which one this page is at, and the choice of another. A browser keeps
// to the one that was chosen in it.

import { load } from "./api.js";
import { h, icon } from "./dom.js";
import { HERE, state } from "./store.js";
import { say } from "./strings.js";
import { heading, link, loaded, note, rows } from "./ui.js";

const KEPT = "tapcard.counter";
/** The list has no events, so it is loaded again and again while it is shown. */
const PAUSE = 3000;
const words = say.counters;
let timer = null;

const addressOf = (number) => `/counters/${number}/#/home`;

/** The address of the counter that was chosen in this browser; null for none. */
export function chosenAddress() {
  const number = Number(localStorage.getItem(KEPT));
  return number >= 1 && number <= state.settings.counters ? addressOf(number) : null;
}

const choose = (number) => localStorage.setItem(KEPT, String(number));

/** The counter of this page at the top of it, and the way to the others. */
export const counterChip = ({ settings, session }) => {
  if (!HERE || !settings || settings.counters < 2) return null;
  const name = words.one(HERE);
  return session ? link(name, "#/counters", { tone: "chip", sign: "swap" })
    : h("span.chip.quiet", name);
};

/** Each counter with its reader, as the health of the house has it. */
export const readerWords = ({ reader }) =>
  [say.reader[reader.state], reader.name].filter(Boolean).join(": ");

const row = ({ number, ...counter }) => h("li", { key: number },
  h("a.tile", {
    href: addressOf(number), onclick: () => choose(number),
    "aria-current": number === HERE ? "true" : null,
  },
  icon("desk"), h("span", words.one(number)),
  h("small", number === HERE && words.here, h("span", readerWords(counter)))));

const enter = () => {
  const look = () => load("counters", "health");
  look();
  clearInterval(timer);
  timer = setInterval(look, PAUSE);
};

export const counters = {
  title: words.title,
  enter,
  leave: () => clearInterval(timer),
  render: ({ data, settings }) => [
    heading(words.title, words.lead),
    HERE > settings.counters && note(words.missing(HERE), "warn", "warn"),
    h("div.choosing", loaded(data.counters, (house) => rows(house.counters, row), enter)),
  ],
};
