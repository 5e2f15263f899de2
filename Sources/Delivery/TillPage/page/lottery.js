// The list of draws, and the view of one draw with links to the next and previous draws.

import { load } from "./api.js";
import { h, icon } from "./dom.js";
import { state } from "./store.js";
import { say } from "./strings.js";
import { button, heading, link, loaded, note, rows, tabs } from "./ui.js";
import { ageWords, dayWords, shown } from "./words.js";

/** The minimum length of a swipe, in CSS pixels. */
const SWIPE = 48;
const words = say.draws;
export const ballSigns = { yes: "check", no: "dash", bonus: "star" };

/** A ball. After the draw, color, shape, and text show its result. */
export const ball = (number, match, key, extra) =>
  h("li.ball", { key, class: `${match ?? ""} ${extra ? "extra" : ""}` },
    extra && h("span.unseen", `${extra} `), h("b", number),
    match && [icon(ballSigns[match]), h("span.unseen", ` ${say.tickets.match[match]}`)]);

/** A note with the saved list's age, if the list could not be updated (`stale`). */
export const staleNote = ({ age, stale }) =>
  stale && note(words.stale(ageWords(age)), "history", "warn");

export const lotteryTabs = (isDraws) => tabs(words.tabs,
  [words.title, "#/draws", isDraws], [say.tickets.title, "#/tickets", !isDraws]);

const balls = ({ balls: numbers, bonus }, tone) => h("ul.balls", { class: tone },
  numbers.map((number, index) => ball(number, null, index)),
  ball(bonus, null, "bonus", words.bonus));

const address = (id) => `#/draws/${encodeURIComponent(id)}`;

const row = (draw) => h("li", { key: draw.id }, h("a.draw-row", { href: address(draw.id) },
  h("span.when", h("strong", dayWords(draw.date)),
    h("small", `${words.top} ${shown(draw.topPrize)}`)),
  balls(draw), icon("next")));

const list = (value) => [
  staleNote(value), value.draws.length > 0 && h("p.hint", words.dashed),
  rows(value.draws, row, words.none),
];

const go = (id) => { if (id) location.hash = address(id); };

function swipe({ next, previous }) {
  let from = null;
  return {
    onpointerdown: (event) => { from = event.clientX; },
    onpointerup: (event) => {
      // A swipe to the left shows the next draw, like turning a page.
      const way = from === null ? 0 : event.clientX - from;
      if (Math.abs(way) >= SWIPE) go(way < 0 ? next : previous);
    },
    onpointercancel: () => { from = null; },
  };
}

const one = (value) => h("article.one-draw", { key: value.draw.id, ...swipe(value) },
  staleNote(value),
  h("h2", dayWords(value.draw.date)),
  h("p.id.hint", value.draw.id),
  balls(value.draw, "bounce"),
  h("p.prize", h("small", words.top), h("b", shown(value.draw.topPrize))),
  h("div.row.spread",
    button(words.previous, () => go(value.previous),
      { sign: "previous", disabled: !value.previous }),
    button(words.next, () => go(value.next),
      { sign: "next", tone: "next", disabled: !value.next })),
  h("p.hint", words.keys));

function enter(id) {
  if (id) load("draw", `draws/${encodeURIComponent(id)}`);
  else load("draws", "draws");
}

export const draws = {
  title: words.title,
  enter,
  render: ({ route: { arg }, data }) => [
    heading(words.title),
    lotteryTabs(true),
    arg ? [loaded(data.draw, one, () => enter(arg)),
      link(words.all, "#/draws", { tone: "quiet", sign: "previous" })]
      : loaded(data.draws, list, () => enter()),
  ],
  onKey({ key }) {
    const value = state.route.arg && state.data.draw?.value;
    if (value && key === "ArrowRight") go(value.next);
    if (value && key === "ArrowLeft") go(value.previous);
  },
};
