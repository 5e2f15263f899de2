// The server's tills: which till this page is at, how its reader is, and how to choose another
// till. The browser remembers the choice.

import { load } from "./api.js";
import { h, icon } from "./dom.js";
import { change, HERE, isAtTill, isRemote, state } from "./store.js";
import { say } from "./strings.js";
import { heading, link, loaded, note, rows } from "./ui.js";
import { timeWords } from "./words.js";

const STORAGE_KEY = "tapcard.till";
/** How often a visible list is reloaded, in milliseconds. No event reports its changes. */
const RELOAD_INTERVAL = 3000;
const words = say.tills;

const addressOf = (number) => `/tills/${number}/#/home`;

/** The address of the till chosen in this browser; null if there is none. */
export function chosenAddress() {
  const number = Number(localStorage.getItem(STORAGE_KEY));
  // The server may now have fewer tills than when the browser stored the number.
  const isThere = number >= 1 && number <= state.settings.tills;
  return isThere || isRemote(number) ? addressOf(number) : null;
}

const choose = (number) => localStorage.setItem(STORAGE_KEY, String(number));

/** Records that the server has no till with the number in this page's address. */
export function noteMissing() {
  localStorage.removeItem(STORAGE_KEY);
  change({ isMissing: true, reader: null, card: null });
}

/** The name of this page's till; null if it is the only one, or if there is no such till. */
export const tillName = () =>
  (HERE && isAtTill() && (isRemote(HERE) || state.settings?.tills > 1)
    ? words.one(state.till ?? HERE) : null);

/** The name of this page's till, shown at the top, with a link to the other tills. */
export const tillChip = ({ settings, session }) => {
  const name = settings && tillName();
  if (!name) return null;
  return session ? link(name, "#/tills", { tone: "chip", sign: "swap" })
    : h("span.chip.quiet", name);
};

/** Whether the reader is on another machine that is not connected to the server. */
const isCutOff = ({ state: readerState, line }) =>
  readerState === "missing" && line && !line.attached;

export const lastSeenWords = ({ lastSeen }) => lastSeen && say.reader.lastSeen(timeWords(lastSeen));

const cutOffWords = ({ line }) =>
  [say.reader.cutOff, lastSeenWords(line)].filter(Boolean).join(" ");

/** What is wrong with a reader; null if it works. */
export const readerProblem = (reader) => (!isCutOff(reader) ? reader.problem : {
  title: cutOffWords(reader), advice: say.reader.cutOffAdvice,
});

/** A till's reader, according to the server's health report. */
export function readerWords({ reader, elsewhere }) {
  if (isCutOff(reader)) return elsewhere ? say.reader.elsewhere : cutOffWords(reader);
  return [say.reader[reader.state], reader.name].filter(Boolean).join(": ");
}

const row = ({ number, name, ...till }) => h("li", { key: number },
  h("a.tile", {
    href: addressOf(number), onclick: () => choose(number),
    "aria-current": number === HERE ? "true" : null,
  },
  icon("cards"), h("span", words.one(name ?? number)),
  h("small", number === HERE && words.here, h("span", readerWords(till)))));

async function look() {
  await load("health", "health");
  const found = state.data.health.value?.tills ?? [];
  if (state.isMissing && found.some(({ number }) => number === HERE)) location.reload();
}

/** A view's `enter` and `leave`: they load its lists, and reload them while it is visible. */
export function reloading(look) {
  let timer = null;
  const leave = () => clearInterval(timer);
  return {
    leave,
    enter() {
      look();
      leave();
      timer = setInterval(look, RELOAD_INTERVAL);
    },
  };
}

export const tills = {
  title: words.title,
  ...reloading(look),
  render: ({ data }) => [
    heading(words.title, words.lead),
    HERE && !isAtTill()
      && note((isRemote(HERE) ? words.missingRemote : words.missing)(HERE), "warn", "warn"),
    h("div.choosing", loaded(data.health, (health) => rows(health.tills, row, words.none), look)),
  ],
};
