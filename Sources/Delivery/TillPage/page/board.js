// The Mastermind board: earlier guesses with their pegs, and the current guess.

import { h } from "./dom.js";
import { draft, setDraft } from "./store.js";
import { say } from "./strings.js";
import { button, note } from "./ui.js";

const words = say.mastermind;

function guessOf(slots) {
  const guess = draft("guess", null);
  return guess?.length === slots ? guess : Array(slots).fill(null);
}

const placeOf = () => draft("guess.place", 0);
const moveTo = (place) => setDraft("guess.place", place);

function edit(guess, place) {
  setDraft("guess", guess);
  moveTo(place);
}

export const clearGuess = () => edit(null, 0);

function choose(color, slots) {
  const place = placeOf();
  const guess = guessOf(slots).with(place, color);
  // After the last position, the first empty position is next.
  const free = guess.indexOf(null);
  edit(guess, place + 1 < slots ? place + 1 : free >= 0 ? free : place);
}

function takeBack(slots) {
  const guess = guessOf(slots);
  // If the position is empty, the previous one is cleared, as with Backspace in text.
  const place = guess[placeOf()] === null ? Math.max(0, placeOf() - 1) : placeOf();
  edit(guess.with(place, null), place);
}

const isReady = (slots) => !guessOf(slots).includes(null) && !draft("game.busy", false);

const colorWord = (color) => words.colors[color ?? 0];
const peg = (color) => h("span.peg", { class: `c${color ?? 0}` },
  h("b", { "aria-hidden": "true" }, color), h("span.unseen", colorWord(color)));

const turn = ({ guess, black, white }, index) => h("li",
  h("small", words.turn(index + 1)),
  h("span.colors", guess.map(peg)),
  h("span.pegs",
    h("span", { "aria-hidden": "true" }, Array.from({ length: black + white }, (_, each) =>
      h("i", { class: each < black ? "black" : "" }))),
    h("small", words.pegs(black, white))));

const editor = ({ slots, colors }, guess) => h("div.editor",
  h("h2", words.yours),
  h("div.colors", guessOf(slots).map((color, place) => h("button.place", {
    "aria-pressed": String(place === placeOf()), onclick: () => moveTo(place),
    "aria-label": words.place(place + 1, colorWord(color)),
  }, peg(color)))),
  h("div.palette", { role: "group", "aria-label": words.palette },
    Array.from({ length: colors }, (_, index) => h("button", {
      "aria-label": `${index + 1} ${colorWord(index + 1)}`,
      onclick: () => choose(index + 1, slots),
    }, peg(index + 1)))),
  h("div.row",
    button(words.guess, () => guess(guessOf(slots)), { tone: "strong", disabled: !isReady(slots) }),
    button(words.takeBack, () => takeBack(slots), { sign: "previous" })),
  h("p.hint", words.keys));

export const board = (value, guess) => h("div.board",
  value.solved && note(words.solved(value.turns.length), "check", "good"),
  value.turns.length > 0 && [
    h("ol.turns", { "aria-label": words.board }, value.turns.map(turn)),
    h("p.hint", words.pegsHelp)],
  !value.solved && editor(value, guess));

export function boardKey({ key, target }, { slots, colors }, guess) {
  const place = placeOf();
  if (key >= 1 && key <= colors) choose(Number(key), slots);
  else if (key === "Backspace") takeBack(slots);
  else if (key === "ArrowLeft") moveTo(Math.max(0, place - 1));
  else if (key === "ArrowRight") moveTo(Math.min(slots - 1, place + 1));
  // Enter on a button presses that button.
  else if (key === "Enter" && isReady(slots) && target.tagName !== "BUTTON") guess(guessOf(slots));
}
