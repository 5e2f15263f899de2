// The event stream: the reader, its card, and the operations of all tabs.

import { API, cutOff, loadSettings, openSession, withProblem } from "./api.js";
import { standingWords } from "./card-face.js";
import { chosenAddress } from "./tills.js";
import { announce, question, toast } from "./notices.js";
import { spoken, tagWords } from "./refusals.js";
import { change, HERE, isAtTill, panelTask, state } from "./store.js";
import { say } from "./strings.js";
import { follow, isOpen, reconcile, restoreTasks } from "./tasks.js";
import { offlineWords, resolvedPayOut, resolvedWords, shown, timeWords } from "./words.js";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 5000;
const REST_AFTER = 5000;
/** A working server reports every three seconds. */
const LONGEST_SILENCE = 8000;
let source = null;
let pause = FIRST_PAUSE;
let isFirst = true;
let isOpening = false;
let wasRefused = false;
let nextTry = null;
let nextRest = null;
let silence = null;

/** Opens the session and the stream, and retries while the server is offline. */
export async function connect() {
  if (isOpening || (isResting() && document.hidden)) return;
  isOpening = true;
  clearTimeout(nextTry);
  try {
    await loadSettings();
    const isHere = isAtTill();
    const chosen = !isHere && HERE === null && chosenAddress();
    if (chosen) {
      location.replace(chosen);
      return;
    }
    // Viewing needs a session only when cashiers have to log in.
    const isOpenToAll = state.settings.login === "none";
    if (isOpenToAll && isHere) listen();
    await openSession(wasRefused);
    if (!state.session) change({ link: "closed" });
    else if (!isHere) change({ link: "choosing" });
    else if (!isOpenToAll) listen();
  } catch {
    if (state.needsLogin) change({ link: "closed" });
    else {
      lose();
      again();
    }
  } finally {
    isOpening = false;
  }
}

function again() {
  clearTimeout(nextTry);
  nextTry = setTimeout(connect, pause);
  pause = Math.min(pause * 2, LONGEST_PAUSE);
}

export function disconnect() {
  close();
  change({ link: "closed", reader: null, card: null });
}

function close() {
  clearTimeout(silence);
  source?.close();
}

function heard() {
  clearTimeout(silence);
  silence = setTimeout(giveUp, LONGEST_SILENCE);
}

/** A server that hangs keeps its connections open but does not answer any requests. */
function giveUp() {
  close();
  lose();
  cutOff();
  again();
}

function listen() {
  close();
  source = new EventSource(`${API}events?client=${state.client}`);
  heard();
  const on = (name, act) => source.addEventListener(name, (event) => {
    heard();
    act(JSON.parse(event.data));
  });
  on("alive", () => {});
  on("state", ({ reader, card, operations, offlinePayments }) => {
    const wasLost = state.link === "lost";
    const wasAway = wasLost || isResting();
    // Views are reloaded, because something may have changed in the meantime.
    const ended = state.ended + (wasAway ? 1 : 0);
    change({ link: "live", reader: withProblem(reader), ended, offlinePayments });
    pause = FIRST_PAUSE;
    wasRefused = false;
    // Restored first, so that running operations find their tasks.
    if (isFirst) restoreTasks();
    isFirst = false;
    change({ onReader: card?.session ?? null, again: {} });
    reconcile(operations);
    seeCard(card, wasAway);
    if (wasLost) announce(say.link.back);
  });
  on("reader", (reader) => {
    if (reader.state !== state.reader?.state) announce(say.reader[reader.state], true);
    change({ reader: withProblem(reader) });
  });
  on("card", (card) => seeCard(card));
  on("gone", ({ session }) => {
    // A late event must not remove the next card.
    if (state.card?.session === session) change({ card: null });
    if (state.onReader === session) change({ onReader: null, served: {}, again: {} });
  });
  on("operation", follow);
  on("offlinePayments", (offlinePayments) => {
    const before = state.offlinePayments;
    change({ offlinePayments });
    if (offlinePayments?.offline && !before?.offline) announce(offlineWords(offlinePayments), true);
    if (before?.payments > 0 && offlinePayments?.payments === 0) {
      toast(say.offlinePayments.booked(timeWords(offlinePayments.bookedAt)), "good");
    } else if (before?.offline && !offlinePayments?.offline) announce(say.offlinePayments.back);
  });
  source.onerror = ({ target }) => {
    if (target !== source) return;
    lose();
    // Closed for good: the server refused the stream, for example after a restart. If a login is
    // needed, the session may have ended, so the page checks right away.
    const mayLast = state.settings.login === "none";
    if (source.readyState !== EventSource.CLOSED && mayLast) return;
    close();
    wasRefused = true;
    again();
  };
}

// Otherwise, a page in the browser's back/forward cache would keep its stream and a waiting
// operation.
addEventListener("pagehide", close);
addEventListener("pageshow", ({ persisted }) => { if (persisted) connect(); });

// A browser has six connections to a server, and each stream holds one. A hidden tab releases its
// connection, unless an operation is waiting for a card, because that would end the operation.
document.addEventListener("visibilitychange", mind);
mind();

function mind() {
  clearTimeout(nextRest);
  if (document.hidden) nextRest = setTimeout(rest, REST_AFTER);
  else if (isResting()) connect();
}

function rest() {
  if (isOpening || Object.keys(state.tasks).some(isOpen)) mind();
  else if (state.link !== "closed") {
    close();
    change({ link: "resting", card: null, others: {} });
  }
}

function isResting() { return state.link === "resting"; }

function lose() {
  if (state.link === "lost") return;
  change({ link: "lost", card: null });
  announce(say.link.lost, true);
}

const seenWords = ({ name, balance }) =>
  say.card.seen(name ?? say.card.nameless, shown(balance));

function seeCard(told, isSilent) {
  // An event with neither a reading nor a problem means that the card is being read again.
  const card = told?.read || told?.problem ? withProblem(told) : null;
  const isSame = JSON.stringify(state.card) === JSON.stringify(card);
  change({
    card, onReader: told?.session ?? null, served: told?.served ?? {},
    asking: card ? false : state.asking,
    seen: card?.read ?? state.seen,
  });
  if (!card || isSilent || isSame) return;
  tellResolved(card.read?.resolved ?? card.problem?.resolved);
  if (isToldOnPanel(card.problem)) return;
  if (card.problem) announce(spoken(tagWords(card.problem)), true);
  else announce(standingWords(card.read) ?? seenWords(card.read));
}

/**
 * Whether the panel reports this problem with its operation's outcome, so it is not repeated here.
 */
function isToldOnPanel(problem) {
  const task = panelTask();
  return task && (isOpen(task.id) || (problem && task.problem?.error === problem.error));
}

/** Reports operations resolved by reading the card; cash to hand out is shown in a dialog. */
function tellResolved(resolved) {
  const lines = resolvedWords(resolved);
  const due = resolvedPayOut(resolved);
  if (due) question(say.panel.handOut(shown(due)), lines, [[null, say.close]]);
  else lines.forEach((line) => toast(line));
}
