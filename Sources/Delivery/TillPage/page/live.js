// The event stream: the reader, its card, and the operations of all tabs.

import { API, cutOff, load, loadSettings, openSession, withProblem } from "./api.js";
import { standingWords } from "./card-face.js";
import { chosenAddress, noteMissing } from "./tills.js";
import { announce, question, toast } from "./notices.js";
import { followPrinter } from "./receipt.js";
import { spoken, tagTexts } from "./refusals.js";
import { acceptsOffline, change, HERE, isAtTill, panelTask, saleTask, state } from "./store.js";
import { say } from "./strings.js";
import { endArmed, followArmed, loseArmed } from "./sale.js";
import { follow, isOpen, reconcile, restoreTasks, resolveParked } from "./tasks.js";
import { offlineWords, resolvedPayOut, resolvedWords, shown, timeWords } from "./words.js";

const FIRST_PAUSE = 500;
const MAXIMUM_PAUSE = 5000;
const RELEASE_DELAY = 5000;
/** A working server sends an event at least every three seconds. */
const SILENCE_LIMIT = 8000;
let source = null;
let pause = FIRST_PAUSE;
let isFirst = true;
let isOpening = false;
let wasRefused = false;
let retryTimer = null;
let releaseTimer = null;
let silenceTimer = null;

/** Opens the session and the stream. Retries while the server cannot be reached. */
export async function connect() {
  if (isOpening || (isResting() && document.hidden)) return;
  isOpening = true;
  clearTimeout(retryTimer);
  try {
    await loadSettings();
    const isHere = isAtTill();
    const chosen = !isHere && HERE === null && chosenAddress();
    if (chosen) {
      location.replace(chosen);
      return;
    }
    // If no login is required, the stream does not have to wait for a session.
    const isOpenToAll = state.settings.login === "none";
    if (isOpenToAll && isHere) listen();
    await openSession(wasRefused);
    if (!state.session) change({ link: "closed" });
    else if (!isHere) change({ link: "choosing" });
    else if (!isOpenToAll) listen();
  } catch (problem) {
    if (state.needsLogin) change({ link: "closed" });
    else if (problem.error === "no-such-till" && isAtTill()) {
      close();
      noteMissing();
      again();
    } else {
      showLost();
      again();
    }
  } finally {
    isOpening = false;
  }
}

function again() {
  clearTimeout(retryTimer);
  retryTimer = setTimeout(connect, pause);
  pause = Math.min(pause * 2, MAXIMUM_PAUSE);
}

export function disconnect() {
  close();
  change({ link: "closed", reader: null, card: null });
}

function close() {
  clearTimeout(silenceTimer);
  loseArmed();
  source?.close();
}

function restartSilenceTimer() {
  clearTimeout(silenceTimer);
  silenceTimer = setTimeout(giveUp, SILENCE_LIMIT);
}

/** Handles a server that hangs: its connections stay open, but it does not respond to requests. */
function giveUp() {
  close();
  showLost();
  cutOff();
  again();
}

function listen() {
  close();
  source = new EventSource(`${API}events?client=${state.client}`);
  restartSilenceTimer();
  const on = (name, act) => source.addEventListener(name, (event) => {
    restartSilenceTimer();
    act(JSON.parse(event.data));
  });
  on("alive", () => {});
  on("state", ({
    till, makesCards, reader, card, operations, offlinePayments, armed, printer, ...rights
  }) => {
    const wasLost = state.link === "lost";
    const wasAway = wasLost || isResting();
    // A higher count makes the view reload, because something may have changed in the meantime.
    const ended = state.ended + (wasAway ? 1 : 0);
    change({
      link: "live", till, makesCards, reader: withProblem(reader), ended, offlinePayments, rights,
    });
    followPrinter(printer);
    pause = FIRST_PAUSE;
    wasRefused = false;
    // Tasks are restored first, so that running operations can be matched to them.
    if (isFirst) restoreTasks();
    isFirst = false;
    change({ onReader: card?.session ?? null, again: {} });
    endArmed(armed);
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
    // A late event about one card must not remove the next card.
    if (state.card?.session === session) change({ card: null });
    if (state.onReader === session) change({ onReader: null, served: {}, again: {} });
  });
  on("armed", followArmed);
  on("operation", (operation) => {
    // The tiles of all pages change with the products.
    const { verb, phase } = operation;
    if (verb.startsWith("products/") && phase === "done") load("products", "products");
    follow(operation);
  });
  on("printer", followPrinter);
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
    showLost();
    // If the stream is closed, the server refused it, for example after a restart; otherwise, it
    // reconnects on its own. If a login is required, the session may have ended, so this is checked
    // right away.
    const needsNoLogin = state.settings.login === "none";
    if (source.readyState !== EventSource.CLOSED && needsNoLogin) return;
    close();
    wasRefused = true;
    again();
  };
}

// Without this, a page in the browser's back/forward cache would keep its stream and therefore also
// an operation that waits for a card.
addEventListener("pagehide", close);
addEventListener("pageshow", ({ persisted }) => { if (persisted) connect(); });

// A browser opens at most six connections to a server, and each stream uses one. A hidden tab
// releases its connection unless it has an open operation or an armed sale: without the stream, the
// server would end them.
document.addEventListener("visibilitychange", onVisibilityChange);
onVisibilityChange();

function onVisibilityChange() {
  clearTimeout(releaseTimer);
  if (document.hidden) releaseTimer = setTimeout(releaseStream, RELEASE_DELAY);
  else if (isResting()) connect();
}

function releaseStream() {
  const isNeeded = isOpening || state.sale.armed || Object.keys(state.tasks).some(isOpen);
  if (isNeeded) onVisibilityChange();
  else if (state.link !== "closed") {
    close();
    change({ link: "resting", card: null, others: {} });
  }
}

function isResting() { return state.link === "resting"; }

function showLost() {
  if (state.link === "lost") return;
  loseArmed();
  change({ link: "lost", card: null });
  announce(say.link.lost, true);
}

const seenWords = ({ name, balance }) =>
  say.card.seen(name ?? say.card.nameless, shown(balance));

function seeCard(told, isSilent) {
  // If the event has no reading and no problem, the card is being read again.
  const card = told?.read || told?.problem ? withProblem(told) : null;
  const isSame = JSON.stringify(state.card) === JSON.stringify(card);
  change({
    card, onReader: told?.session ?? null, served: told?.served ?? {},
    seen: card?.read ?? state.seen,
  });
  if (!card || isSilent || isSame) return;
  tellResolved(card.read?.resolved ?? card.problem?.resolved);
  if (isToldOnPanel(card.problem)) return;
  if (card.problem && !acceptsOffline()) announce(spoken(tagTexts(card.problem)), true);
  else if (standingWords(card.read)) announce(standingWords(card.read));
  // The payment is announced with the new balance.
  else if (card.read?.uid !== state.sale.paid?.uid) announce(seenWords(card.read));
}

/** Whether the panel reports this problem together with its operation's outcome. */
function isToldOnPanel(problem) {
  const task = panelTask() ?? saleTask();
  return task && (isOpen(task.id) || (problem && task.problem?.error === problem.error));
}

/** Reports operations that reading the card resolved. A dialog states any cash to pay out. */
function tellResolved(resolved) {
  resolveParked(resolved);
  const lines = resolvedWords(resolved);
  const due = resolvedPayOut(resolved);
  if (due) question(say.panel.handOut(shown(due)), lines, [[null, say.close]]);
  else lines.forEach((line) => toast(line));
}
