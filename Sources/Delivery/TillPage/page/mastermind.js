// Mastermind: logging in, starting or resuming a game, and the rankings. The board is in board.js.

import { call, load } from "./api.js";
import { board, boardKey, clearGuess } from "./board.js";
import { h } from "./dom.js";
import { draft, isUsable, setDraft, state } from "./store.js";
import { say } from "./strings.js";
import { begin, dismiss } from "./tasks.js";
import {
  button, choice, field, form, heading, loaded, note, passwordField, problemBox, submit, table,
  tabs, tick, typed,
} from "./ui.js";
import { dateWords } from "./words.js";

const SERVICE_LIMIT = 20_000;
const SLOTS = Array.from({ length: 12 }, (_, index) => index + 1);
const words = say.mastermind;

const loadGame = () => load("game", "mastermind/game");

function rank(slots) {
  setDraft("ranking.slots", slots);
  load("ranking", slots === null ? "mastermind/ranking" : `mastermind/ranking?slots=${slots}`);
}

const enter = (arg) => (arg === "ranking" ? rank(draft("ranking.slots", null)) : loadGame());

/** Sends the service a request that needs no card. If it is refused, the view shows the refusal. */
async function request(verb, body) {
  setDraft("game.busy", true);
  setDraft("game.problem", null);
  try {
    return await call("POST", `mastermind/${verb}`, { ...body, client: state.client },
      SERVICE_LIMIT);
  } catch (problem) {
    setDraft("game.problem", problem);
    return null;
  } finally {
    setDraft("game.busy", false);
    // A guess may have counted even if its response was lost, so load the board instead of
    // retrying.
    loadGame();
  }
}

async function logIn() {
  const password = draft("game-password");
  // The field is cleared now, because a password must not stay on a shared screen.
  setDraft("game-password", "");
  await request("login", { user: typed("game-user"), password });
}

const showBoard = ({ id, status }) => {
  if (status !== "done") return;
  dismiss(id);
  clearGuess();
  loadGame();
};

function start() {
  const slots = Number(draft("game-slots", "4"));
  clearGuess();
  if (!draft("game-keep", false)) request("start", { slots });
  else begin("mastermind/start", { slots, keep: true }, { then: showBoard });
}

async function guess(colors) {
  if (await request("guess", { colors })) clearGuess();
}

const loginForm = () => form(logIn, h("div.form",
  h("h2", say.login.action),
  field("game-user", words.user, { autocomplete: "username" }),
  passwordField("game-password", say.login.password),
  submit(say.login.action, draft("game.busy", false), "")));

const newGame = (isInProgress) => form(start, h("div.form",
  h("h2", words.newGame),
  h("div.field",
    h("label", { for: "game-slots" }, words.slots),
    h("select", {
      id: "game-slots", value: draft("game-slots", "4"),
      onchange: (event) => setDraft("game-slots", event.target.value),
    }, SLOTS.map((slots) => h("option", { value: String(slots) }, slots)))),
  tick("game-keep", words.keep, words.keepHint),
  h("div.row",
    submit(words.start, draft("game.busy", false)),
    button(words.resume, () => begin("mastermind/resume", {}, { then: showBoard }),
      { sign: "waves", disabled: !isUsable() })),
  isInProgress && h("p.hint", words.abandon)));

function game(value) {
  const problem = draft("game.problem", null);
  return [
    problem && problemBox(problem),
    h("div.game", { class: value.game ? "" : "idle" },
      h("section", value.game ? board(value, guess) : note(words.none)),
      h("aside", value.user ? note(words.loggedIn(value.user), "person") : loginForm(),
        newGame(value.game && !value.solved))),
  ];
}

const ranking = (value) => value.ranking.length === 0 ? h("p.lead", words.noRanking)
  : h("div.wide", { tabindex: "0", role: "region", "aria-label": words.ranking },
    table(words.columns, value.ranking.map(({ name, score, slots, time }) =>
      [name, score, slots, dateWords(time)])));

export const mastermind = {
  title: words.title,
  enter,
  render({ route, data }) {
    const isRanking = route.arg === "ranking";
    return [
      heading(words.title),
      tabs(words.title, [words.board, "#/mastermind", !isRanking],
        [words.ranking, "#/mastermind/ranking", isRanking]),
      isRanking ? [
        choice(words.slots, [[null, words.anySlots], ...SLOTS.map((slots) => [slots, slots])],
          draft("ranking.slots", null), rank),
        loaded(data.ranking, ranking, () => enter("ranking")),
      ] : loaded(data.game, game, loadGame),
    ];
  },
  onKey(event) {
    const value = state.data.game?.value;
    if (state.route.arg === "ranking" || !value?.game || value.solved) return;
    boardKey(event, value, guess);
  },
};
