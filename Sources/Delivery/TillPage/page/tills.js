// The server's tills: which till this page is at, and how to choose another one. The browser
// remembers the choice.

import { load } from "./api.js";
import { h, icon } from "./dom.js";
import { HERE, state } from "./store.js";
import { say } from "./strings.js";
import { heading, link, loaded, note, rows } from "./ui.js";

const STORAGE_KEY = "tapcard.till";
/** How often the visible list is reloaded, in milliseconds. No event reports its changes. */
const RELOAD_INTERVAL = 3000;
const words = say.tills;
let timer = null;

const addressOf = (number) => `/tills/${number}/#/home`;

/** The address of the till chosen in this browser; null if there is none. */
export function chosenAddress() {
  // The server may now have fewer tills than when the browser stored the number.
  const number = Number(localStorage.getItem(STORAGE_KEY));
  return number >= 1 && number <= state.settings.tills ? addressOf(number) : null;
}

const choose = (number) => localStorage.setItem(STORAGE_KEY, String(number));

/** The name of this page's till, shown at the top, with a link to the other tills. */
export const tillChip = ({ settings, session }) => {
  if (!HERE || !settings || settings.tills < 2) return null;
  const name = words.one(HERE);
  return session ? link(name, "#/tills", { tone: "chip", sign: "swap" })
    : h("span.chip.quiet", name);
};

/** Each till with its reader, according to the server's health report. */
export const readerWords = ({ reader }) =>
  [say.reader[reader.state], reader.name].filter(Boolean).join(": ");

const row = ({ number, ...till }) => h("li", { key: number },
  h("a.tile", {
    href: addressOf(number), onclick: () => choose(number),
    "aria-current": number === HERE ? "true" : null,
  },
  icon("cards"), h("span", words.one(number)),
  h("small", number === HERE && words.here, h("span", readerWords(till)))));

const enter = () => {
  const look = () => load("tills", "health");
  look();
  clearInterval(timer);
  timer = setInterval(look, RELOAD_INTERVAL);
};

export const tills = {
  title: words.title,
  enter,
  leave: () => clearInterval(timer),
  render: ({ data, settings }) => [
    heading(words.title, words.lead),
    HERE > settings.tills && note(words.missing(HERE), "warn", "warn"),
    h("div.choosing", loaded(data.tills, (health) => rows(health.tills, row), enter)),
  ],
};
