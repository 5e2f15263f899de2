// Operations from the press of a button to their outcome. A task is done once the server's response
// says so. If the response is lost, the page asks for the outcome by the operation's ID. A refusal
// of that request says nothing about the outcome.

import { call, isConfirmed, OPERATION_LIMIT, Problem } from "./api.js";
import { announce, confirmed, toast } from "./notices.js";
import { meaningOf, told } from "./refusals.js";
import { blamesTag, change, freshID, HERE, isUsable, needsOtherTag, state } from "./store.js";
import { say } from "./strings.js";
import { resolvedWords } from "./words.js";

// Each till has its own key, so a tab finds its tasks when it returns to a till.
const STORAGE_KEY = HERE ? `tapcard.tasks.${HERE}` : "tapcard.tasks";
const MINIMUM_SHOWN = 400;
const DEMO_SHOWN = 6000;
const OTHERS_SHOWN = 5000;
const QUERY_PAUSE = 2000;
/** How long an unknown outcome is retried. A card tapped later may be there for something else. */
const RETRY_LIMIT = 300_000;
const LAST_ENTRIES = 20;
/** If an attempt ended sooner than this, a missing card was not the reason. */
const SHORTEST_WAIT = 10_000;
const callbacks = new Map();
const standingCallbacks = new Map();
/** Requests without a response, and the timers for the next queries. */
const sent = new Map();
const queryTimers = new Map();
/** Refusals that ask for confirmation, and the request members that confirm. */
const CONFIRMING_MEMBERS = {
  "confirmation-needed": "confirmed", "just-resolved": "again", "same-card": "again",
};
/** The time that the server needs to notice that the reader is gone. */
const READER_LOSS_DELAY = 4000;
/** What is stored of an open task. */
const KEPT =
  "id verb kind body place about at isAgain doubt lines entry parked needsCard paidBy".split(" ");
const FRESH = {
  status: "waiting", phase: null, since: null, outcome: null, answer: null, problem: null,
  isCanceling: false,
};

/**
 * Begins an operation. `place` is where it appears: "panel" fills the page, "own" leaves it to the
 * view. `kind` is more precise than the verb: undoing a top-up is not called a refund. A task that
 * needs no card never asks for one. Once the outcome is known, `then` is called with the task.
 */
export function begin(
  verb, members = {},
  { place = "panel", about = "", kind = verb, then, lines, entry, needsCard = true, paidBy } = {},
) {
  const id = freshID();
  if (then) callbacks.set(id, then);
  const body = state.again[verb] ? { ...members, again: true } : members;
  const more = { lines, entry, needsCard, paidBy, at: Date.now() };
  change({ tasks: { ...state.tasks, [id]: { id, verb, kind, body, place, about, ...more } } });
  send(id, (problem) => conclude(id, { problem }));
}

/** Follows a payment that the server begins for this page, or may have begun: the armed sale. */
export function adopt(id, verb, body, { place, about, lines, entry, status = "working" }) {
  const now = performance.now();
  const begun = { id, verb, kind: verb, body, place, about, lines, entry, at: Date.now() };
  const task = { ...FRESH, ...begun, status, since: now, sentAt: now };
  change({ tasks: { ...state.tasks, [id]: task } });
  keepOpenTasks();
  if (status === "asking") queryOutcome(id);
}

/** Sets a sale with an unknown outcome aside. Without a card, its outcome is still asked for. */
export function park(id) {
  alter(id, { parked: true });
  if (state.tasks[id].needsCard !== false) {
    clearTimeout(queryTimers.get(id));
    // If it is too late, the card came at this moment, and events say how the operation ends.
    if (sent.has(id)) stop(id).then(follow, () => {});
  }
  keepOpenTasks();
}

/** Follows what a tap of its card has done with a parked sale. */
export function resolveParked(resolved = []) {
  for (const { operation: id, outcome } of resolved) {
    if (!state.tasks[id]?.parked) continue;
    if (outcome === "committed") dismiss(id);
    else alter(id, { status: "unknown", voided: true });
  }
}

/** A task's callback, for a request that replaces the task. */
export const callbackOf = (id) => callbacks.get(id);

/** Sets a callback for the end of every operation with this verb, even after a reload. */
export const whenever = (verb, then) => standingCallbacks.set(verb, then);

/**
 * Sends the request again with the same ID, so that it cannot be carried out twice. Unless the
 * cashier pressed a button, the server may only finish what was begun, because the next card may be
 * another customer's.
 */
export function retry(id, isPressed) {
  alter(id, { isAgain: true });
  send(id, (problem) => {
    if (problem.error === "not-begun") conclude(id, { problem });
    else queryOutcome(id, problem);
  }, !isPressed);
  if (!state.tasks[id].doubt && !isPressed) alter(id, { status: "asking" });
}

/** The path of a call. A payment with lines is a sale; everywhere else, it is a payment. */
export const pathOf = (verb, { lines }) => (lines ? "sell" : verb);

async function send(id, whenRefused, repeated = false) {
  alter(id, { ...FRESH, sentAt: performance.now() });
  const { verb, body, needsCard, doubt } = state.tasks[id];
  if ((state.card || needsCard === false) && !doubt) spin(id);
  keepOpenTasks();
  const whole = { ...body, operation: id, client: state.client, ...(repeated && { repeated }) };
  const request = Symbol(id);
  sent.set(id, request);
  const outcome = await call("POST", pathOf(verb, body), whole, OPERATION_LIMIT)
    .then((answer) => ({ answer }), (problem) => ({ problem }));
  // The stream may have reported the outcome, or the request may have been resent.
  if (sent.get(id) !== request) return;
  sent.delete(id);
  const { problem } = outcome;
  if (problem?.result === "lost") queryOutcome(id);
  else if (problem && problem.result !== "unknown") whenRefused(problem);
  else conclude(id, outcome);
}

/** Asks the server for the outcome of an operation; `refusal` says why a retry was refused. */
async function queryOutcome(id, refusal) {
  // A task with an unknown outcome keeps its own timer, even after a reconnect.
  if (!isPending(id)) return;
  clearTimeout(queryTimers.get(id));
  alter(id, { status: "asking" });
  // Open tasks are queried again after the login.
  if (state.needsLogin) return;
  try {
    const found = await call("GET", `operations/${id}`);
    if (!isPending(id)) return;
    if (refusal && found.problem?.result === "unknown") leaveUnknown(id, refusal);
    else follow(found);
  } catch (problem) {
    if (problem.error === "no-such-operation") {
      if (refusal) leaveUnknown(id, refusal);
      else if (isPending(id)) retry(id);
    }
  }
  if (state.tasks[id]?.status !== "asking") return;
  clearTimeout(queryTimers.get(id));
  queryTimers.set(id, setTimeout(() => queryOutcome(id, refusal), QUERY_PAUSE));
}

/**
 * The problem for an unknown outcome; `why` is the problem with which the retry failed. A problem
 * with the tag counts only if the card is the right one, and not another one tapped by mistake.
 */
const unknown = (why, { uid, operation } = {}) => new Problem({
  result: "unknown", error: why?.error ?? "outcome-unknown", title: why?.title, uid, operation,
  isWrongCard: why?.isWrongCard,
  next: why && needsOtherTag(why) && uid === why.uid ? why.next : [],
});

function leaveUnknown(id, refusal) {
  if (isPending(id)) conclude(id, { problem: unknown(refusal, state.tasks[id].doubt) });
}

/**
 * Whether the request is retried automatically, so that the card only has to be tapped again. If
 * the tag is the problem, retries would be useless and wear it out. They would also be useless if
 * the card is not known.
 */
export const repeatsItself = ({ place, at, body, doubt, parked, needsCard }) =>
  place !== "own" && (!parked || needsCard === false) && Date.now() - at < RETRY_LIMIT
    && !(doubt && blamesTag(doubt))
    && !(doubt?.error === "outcome-unknown" && !doubt.uid && !doubt.operation && !body.card);

/** Retries an operation before the server reads the card on its own and voids the operation. */
function repeat(id, pause) {
  clearTimeout(queryTimers.get(id));
  const again = () => {
    const { status, needsCard } = state.tasks[id] ?? {};
    if (status !== "unknown") return;
    if (needsCard !== false && state.link === "live" && !isUsable()) repeat(id, QUERY_PAUSE);
    else {
      retry(id);
      checkLedger(id);
    }
  };
  if (pause > 0) queryTimers.set(id, setTimeout(again, pause));
  else again();
}

/** Stops waiting for the card once another station has resolved the operation. */
async function checkLedger(id) {
  const { doubt, status } = state.tasks[id] ?? {};
  if (!doubt?.uid || status !== "waiting") return;
  try {
    const { entries } = await call("GET", `history?card=${doubt.uid}&last=${LAST_ENTRIES}`);
    const entry = entries.find(({ operation }) => operation === id);
    if (entry && entry.state !== "pending" && sent.has(id)) await stop(id);
  } catch {
    // The next query may succeed.
  }
  if (sent.has(id)) queryTimers.set(id, setTimeout(() => checkLedger(id), QUERY_PAUSE));
}

const stop = (id) => call("DELETE", `operations/${id}`);

/** Leaves an open operation unfinished; the next tap of its card resolves it. */
export function leaveOpen(id) {
  const isWaiting = sent.has(id);
  dismiss(id);
  if (isWaiting) stop(id).catch(() => {});
}

export async function cancel(id) {
  if (!isOpen(id) || state.tasks[id].isCanceling) return;
  alter(id, { isCanceling: true });
  try {
    follow(await stop(id));
  } catch (problem) {
    if (!isOpen(id)) return;
    alter(id, { isCanceling: false });
    toast(problem.detail, "bad");
    // The operation may have ended before this page received the event.
    if (problem.error === "too-late") call("GET", `operations/${id}`).then(follow, () => {});
  }
}

export function dismiss(id) {
  callbacks.delete(id);
  clearTimeout(queryTimers.get(id));
  sent.delete(id);
  const { [id]: gone, ...tasks } = state.tasks;
  change({ tasks });
  keepOpenTasks();
}

/** Handles an operation event from the stream, whether this tab or another caused it. */
export function follow({ operation: id, client, verb: path, phase, uid, answer, problem }) {
  const verb = path === "sell" ? "pay" : path;
  // The cashier agreed to only one repetition.
  if (phase === "done") change({ again: {} });
  if (!state.tasks[id]) {
    if (client !== state.client && say.verbs[verb]) noteOther(id, { verb, phase, uid });
  } else if (isOpen(id) && !state.tasks[id].outcome) {
    if (phase === "done") conclude(id, { answer });
    // An event about an earlier attempt; the current one will have its own response.
    else if (problem?.result === "unknown" && state.tasks[id].doubt && sent.has(id)) return;
    else if (phase === "failed") conclude(id, { problem: new Problem(problem, problem.status) });
    else if (phase === "waiting") {
      alter(id, { phase, status: "waiting", since: null, ...doubtAfterRetry(id) });
    } else spin(id, phase);
  }
}

/** If a retry waits for a card, the operation was begun, so its outcome is unknown. */
function doubtAfterRetry(id) {
  const { isAgain, doubt } = state.tasks[id];
  return isAgain && !doubt ? { doubt: unknown(null, { operation: id }) } : {};
}

/** After a reconnect, asks for all tasks' outcomes, because events may have been missed. */
export function reconcile(operations) {
  change({ others: {} });
  operations.forEach(follow);
  const running = new Set(operations.map(({ operation }) => operation));
  for (const id of Object.keys(state.tasks)) if (!running.has(id)) queryOutcome(id);
}

export const isOpen = (id) => ["waiting", "working", "asking"].includes(state.tasks[id]?.status);

/** Whether the task is open and no request in progress will deliver its outcome. */
const isPending = (id) => isOpen(id) && !state.tasks[id].outcome && !sent.has(id);

function alter(id, values) {
  const task = state.tasks[id];
  if (task) change({ tasks: { ...state.tasks, [id]: { ...task, ...values } } });
}

const spin = (id, phase = state.tasks[id].phase) =>
  alter(id, { phase, status: "working", since: state.tasks[id].since ?? performance.now() });

// Only the first report counts: both the stream and the response report the outcome.
function conclude(id, outcome) {
  const task = state.tasks[id];
  if (!task || task.outcome || !isOpen(id)) return;
  // A retry that could not read the ledger says nothing about the first attempt.
  if (task.isAgain && outcome.problem?.result === "ledger") {
    outcome = { problem: unknown(outcome.problem, task.doubt) };
  }
  alter(id, { outcome });
  const isUnknown = outcome.problem?.result === "unknown";
  if (isUnknown || (outcome.problem && task.since === null)) {
    show(id);
    return;
  }
  if (task.since === null) spin(id);
  // Progress is shown for a minimum time, except for a sale, which makes no customer wait.
  const isStretched = state.settings.demoPace && task.verb === "pay";
  const showing = isStretched ? DEMO_SHOWN : task.place === "sale" ? 0 : MINIMUM_SHOWN;
  setTimeout(() => show(id), state.tasks[id].since + showing - performance.now());
}

function show(id) {
  const { outcome, place, verb, doubt } = state.tasks[id] ?? {};
  if (!outcome) return;
  const { problem } = outcome;
  const then = callbacks.get(id) ?? standingCallbacks.get(verb);
  const status = !problem ? "done" : problem.error === "cancelled" ? "cancelled"
    : problem.result === "unknown" ? "unknown" : "failed";
  const [doneAt, doneOn] = [performance.now(), state.onReader];
  resolveParked((outcome.answer ?? problem).resolved);
  alter(id, { ...outcome, status, outcome: null, doneAt, doneOn });
  if (status === "unknown") alter(id, { doubt: problem });
  keepOpenTasks();
  const task = state.tasks[id];
  sent.delete(id);
  // The question is asked only once. If the confirmed request is refused, the refusal is shown.
  if (problem?.error in CONFIRMING_MEMBERS && !task.body[CONFIRMING_MEMBERS[problem.error]]) {
    askToConfirm(task, then);
    return;
  }
  if (problem?.error === "address-unconfirmed") {
    dismiss(id);
    isConfirmed(problem)
      .then((isAccepted) => isAccepted && begin(verb, task.body, { ...task, then }));
    return;
  }
  if (status === "unknown" && repeatsItself(task)) {
    const isSoon = doubt && task.doneAt - task.sentAt < SHORTEST_WAIT;
    // A waiting request would hide from all pages that the reader was lost or is back.
    repeat(id, problem.isReaderGone ? READER_LOSS_DELAY : isSoon ? QUERY_PAUSE : 0);
    // The page already shows that the outcome is unknown.
    if (doubt) return;
  }
  change({ ended: state.ended + 1 });
  if (status === "cancelled") {
    dismiss(id);
    toast(say.canceled[verb] ?? say.canceled.all);
  } else {
    vibrate(problem ? [60, 80, 60] : 40);
    if (place !== "own") announce(told(task, repeatsItself(task)), Boolean(problem));
  }
  then?.(task);
}

/** Asks for confirmation, then sends a new request, because nothing was begun. */
async function askToConfirm(task, then) {
  const { id, verb, kind, body, place, about, problem, lines: cart, entry, needsCard } = task;
  const [title, action] = say.repeatQuestions[problem.error];
  const what = kind in say.requests ? `${say.requests[kind]} ${about}`.trim()
    : [say.verbs[kind][0], about].filter(Boolean).join(", ");
  const lines = [problem.title, meaningOf(task), ...resolvedWords(problem.resolved)];
  dismiss(id);
  if (await confirmed(title(what), lines, action(about), "")) {
    // Only the card that the question was about may be charged, even if another is on the reader
    // now.
    const card = verb in say.served && (body.card ?? problem.uid);
    begin(verb, { ...body, ...(card && { card }), [CONFIRMING_MEMBERS[problem.error]]: true },
      { place, about, kind, then, lines: cart, entry, needsCard });
  }
}

// Before the user's first touch, the browser would refuse to vibrate and log a warning.
function vibrate(pattern) {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(pattern);
}

function noteOther(id, note) {
  change({ others: { ...state.others, [id]: note } });
  if (note.phase !== "done" && note.phase !== "failed") return;
  change({ ended: state.ended + 1 });
  // The reader is free again, so this page's operations can be retried.
  Object.values(state.tasks).filter(repeatsItself).forEach((task) => repeat(task.id, 0));
  setTimeout(() => {
    const { [id]: gone, ...others } = state.others;
    change({ others });
  }, OTHERS_SHOWN);
}

// Open tasks are stored, because the page must still have them after a reload.
function keepOpenTasks() {
  const open = Object.values(state.tasks)
    .filter(({ id, status }) => isOpen(id) || status === "unknown")
    .map((task) => Object.fromEntries(KEPT.map((name) => [name, task[name]])));
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(open));
}

export function restoreTasks() {
  for (const task of JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "[]")) {
    const since = performance.now();
    const doubt = task.doubt && new Problem(task.doubt);
    const asking = { ...task, ...FRESH, doubt, status: "asking", since };
    change({ tasks: { ...state.tasks, [task.id]: asking } });
  }
}
