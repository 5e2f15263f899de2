// Operations from the press of a button to their outcome. A task is done only when the server's
// answer says so; after a lost answer, the operation is queried by its id. A refused query or retry
// says nothing about the outcome of the operation.

import { call, isConfirmed, OPERATION_LIMIT, Problem } from "./api.js";
import { announce, confirmed, toast } from "./notices.js";
import { meaningOf, refusalWords, spoken, unknownWords } from "./refusals.js";
import { blamesTag, change, freshID, HERE, isUsable, needsOtherTag, state } from "./store.js";
import { say } from "./strings.js";
import { balanceWords, handOut, resolvedWords, shown } from "./words.js";

// A tab that switches to another till leaves its tasks here and finds them when it returns.
const KEPT = HERE ? `tapcard.tasks.${HERE}` : "tapcard.tasks";
const SHORTEST_SHOWING = 400;
const DEMO_SHOWING = 6000;
const OTHERS_NOTE = 5000;
const NEXT_QUESTION = 2000;
/** How long an unknown outcome is retried; a later card may be meant for something else. */
const LONGEST_REPEATING = 300_000;
const LAST_ENTRIES = 20;
/** An attempt shorter than this did not wait for its card but failed for another reason. */
const SHORTEST_WAIT = 10_000;
const afterwards = new Map();
const standing = new Map();
/** Requests that have not been answered yet, and the timers for the next queries. */
const sent = new Map();
const questions = new Map();
/** Refusals that ask for confirmation, and the members that give it. */
const ONCE_MORE = {
  "confirmation-needed": "confirmed", "just-resolved": "again", "same-card": "again",
};
/** How long the server takes to notice that the reader is gone. */
const READER_SEARCH = 4000;
const FRESH = {
  status: "waiting", phase: null, since: null, outcome: null, answer: null, problem: null,
  isCanceling: false,
};

/**
 * Begins an operation. `place` is where it appears: "panel" fills the page, "own" leaves that to
 * its view. `kind` is a more precise name than the verb: undoing a top-up is not called a refund.
 * `then` is called with the task after its outcome.
 */
export function begin(verb, members = {}, { place = "panel", about = "", kind = verb, then } = {}) {
  const id = freshID();
  if (then) afterwards.set(id, then);
  const body = state.again[verb] ? { ...members, again: true } : members;
  const task = { id, verb, kind, body, place, about, at: Date.now() };
  change({ tasks: { ...state.tasks, [id]: task } });
  send(id, (problem) => conclude(id, { problem }));
}

/** The callback for the outcome of a task, for a request that takes its place. */
export const callbackOf = (id) => afterwards.get(id);

/** Sets the callback for every ended operation of a verb, also after a reload. */
export const whenever = (verb, then) => standing.set(verb, then);

/**
 * Sends the request again; with the same id, it can never be done twice. Unless the cashier pressed
 * a button, it only finishes what was begun, because the next card may be somebody else's.
 */
export function retry(id, isPressed) {
  alter(id, { isAgain: true });
  send(id, (problem) => {
    if (problem.error === "not-begun") conclude(id, { problem });
    else ask(id, problem);
  }, !isPressed);
  if (!state.tasks[id].doubt && !isPressed) alter(id, { status: "asking" });
}

async function send(id, whenRefused, repeated = false) {
  alter(id, { ...FRESH, sentAt: performance.now() });
  if (state.card && !state.tasks[id].doubt) spin(id);
  keepOpenTasks();
  const { verb, body } = state.tasks[id];
  const whole = { ...body, operation: id, client: state.client, ...(repeated && { repeated }) };
  const request = Symbol(id);
  sent.set(id, request);
  const outcome = await call("POST", verb, whole, OPERATION_LIMIT)
    .then((answer) => ({ answer }), (problem) => ({ problem }));
  // The stream may have reported its end, and it may have been restarted since.
  if (sent.get(id) !== request) return;
  sent.delete(id);
  const { problem } = outcome;
  if (problem?.result === "lost") ask(id);
  else if (problem && problem.result !== "unknown") whenRefused(problem);
  else conclude(id, outcome);
}

/** Queries the outcome of an operation; `refusal` says why it could not be retried. */
async function ask(id, refusal) {
  // A task with an unknown outcome has a timer of its own, which must survive a reconnection.
  if (!isPending(id)) return;
  clearTimeout(questions.get(id));
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
  clearTimeout(questions.get(id));
  questions.set(id, setTimeout(() => ask(id, refusal), NEXT_QUESTION));
}

/**
 * An unknown outcome; `why` says why it could not be retried. A problem with the tag counts only if
 * it is the right card, because another card may have been tapped by mistake.
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
 * Whether the request is retried automatically, so the card only needs to be tapped again. If the
 * tag is the problem, that would be useless and wear the tag; it is also useless if the card is not
 * known.
 */
export const repeatsItself = ({ place, at, body, doubt }) =>
  place === "panel" && Date.now() - at < LONGEST_REPEATING && !(doubt && blamesTag(doubt))
    && !(doubt?.error === "outcome-unknown" && !doubt.uid && !doubt.operation && !body.card);

/** Retries an unknown outcome before the server reads the card on its own and voids it. */
function repeat(id, pause) {
  clearTimeout(questions.get(id));
  const again = () => {
    if (state.tasks[id]?.status !== "unknown") return;
    if (state.link === "live" && !isUsable()) repeat(id, NEXT_QUESTION);
    else {
      retry(id);
      lookInLedger(id);
    }
  };
  if (pause > 0) questions.set(id, setTimeout(again, pause));
  else again();
}

/** Ends the wait once another station has resolved the operation. */
async function lookInLedger(id) {
  const { doubt, status } = state.tasks[id] ?? {};
  if (!doubt?.uid || status !== "waiting") return;
  try {
    const { entries } = await call("GET", `history?card=${doubt.uid}&last=${LAST_ENTRIES}`);
    const entry = entries.find(({ operation }) => operation === id);
    if (entry && entry.state !== "pending" && sent.has(id)) await stop(id);
  } catch {
    // A failed query is retried later.
  }
  if (sent.has(id)) questions.set(id, setTimeout(() => lookInLedger(id), NEXT_QUESTION));
}

const stop = (id) => call("DELETE", `operations/${id}`);

/** Leaves an open operation to the next tap of its card. */
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
  afterwards.delete(id);
  clearTimeout(questions.get(id));
  // If the answer still comes, it is ignored.
  sent.delete(id);
  const { [id]: gone, ...tasks } = state.tasks;
  change({ tasks });
  keepOpenTasks();
}

/** Handles an operation event from the stream, caused by this tab or another. */
export function follow({ operation: id, client, verb, phase, uid, answer, problem }) {
  // The cashier agreed to one repetition, not to another one after it.
  if (phase === "done") change({ again: {} });
  if (!state.tasks[id]) {
    if (client !== state.client && say.verbs[verb]) noteOther(id, { verb, phase, uid });
  } else if (isOpen(id) && !state.tasks[id].outcome) {
    // The preliminary display of an unknown outcome is not an outcome.
    if (phase === "done") conclude(id, { answer });
    // An event from an earlier attempt; the current attempt will have its own answer.
    else if (problem?.result === "unknown" && state.tasks[id].doubt && sent.has(id)) return;
    else if (phase === "failed") conclude(id, { problem: new Problem(problem, problem.status) });
    else if (phase === "waiting") {
      alter(id, { phase, status: "waiting", since: null, ...begun(id) });
    } else spin(id, phase);
  }
}

/** A repeated request does not begin anything; what is waiting for its card was begun before. */
function begun(id) {
  const { isAgain, doubt } = state.tasks[id];
  return isAgain && !doubt ? { doubt: unknown(null, { operation: id }) } : {};
}

/** Queries all tasks after a reconnection, because the events in between are lost. */
export function reconcile(operations) {
  change({ others: {} });
  operations.forEach(follow);
  const running = new Set(operations.map(({ operation }) => operation));
  for (const id of Object.keys(state.tasks)) if (!running.has(id)) ask(id);
}

export const isOpen = (id) => ["waiting", "working", "asking"].includes(state.tasks[id]?.status);

/** Whether the task is open and no request in progress will bring its outcome. */
const isPending = (id) => isOpen(id) && !state.tasks[id].outcome && !sent.has(id);

function alter(id, values) {
  const task = state.tasks[id];
  if (task) change({ tasks: { ...state.tasks, [id]: { ...task, ...values } } });
}

const spin = (id, phase = state.tasks[id].phase) =>
  alter(id, { phase, status: "working", since: state.tasks[id].since ?? performance.now() });

// Only the first outcome counts; the stream and the answer both bring it.
function conclude(id, outcome) {
  const task = state.tasks[id];
  if (!task || task.outcome || !isOpen(id)) return;
  // A ledger that could not be read says nothing about an earlier attempt.
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
  const isStretched = state.settings.demoPace && task.verb === "pay";
  const showing = isStretched ? DEMO_SHOWING : SHORTEST_SHOWING;
  setTimeout(() => show(id), state.tasks[id].since + showing - performance.now());
}

function show(id) {
  const { outcome, place, verb, doubt } = state.tasks[id] ?? {};
  if (!outcome) return;
  const { problem } = outcome;
  const then = afterwards.get(id) ?? standing.get(verb);
  const status = !problem ? "done" : problem.error === "cancelled" ? "cancelled"
    : problem.result === "unknown" ? "unknown" : "failed";
  const [doneAt, doneOn] = [performance.now(), state.onReader];
  alter(id, { ...outcome, status, outcome: null, doneAt, doneOn });
  if (status === "unknown") alter(id, { doubt: problem });
  keepOpenTasks();
  const task = state.tasks[id];
  sent.delete(id);
  // Ask only once; a confirmed request that is refused again is shown as refused.
  if (problem?.error in ONCE_MORE && !task.body[ONCE_MORE[problem.error]]) {
    askOnceMore(task, then);
    return;
  }
  if (problem?.error === "address-unconfirmed") {
    dismiss(id);
    isConfirmed(problem).then((isSo) => isSo && begin(verb, task.body, { ...task, then }));
    return;
  }
  if (status === "unknown" && repeatsItself(task)) {
    const isSoon = doubt && task.doneAt - task.sentAt < SHORTEST_WAIT;
    // A waiting request would hide from all pages that the reader was lost or is back.
    repeat(id, problem.isReaderGone ? READER_SEARCH : isSoon ? NEXT_QUESTION : 0);
    // The page already shows that the outcome is unknown.
    if (doubt) return;
  }
  change({ ended: state.ended + 1 });
  if (status === "cancelled") {
    dismiss(id);
    toast(say.canceled[verb] ?? say.canceled.all);
  } else {
    vibrate(problem ? [60, 80, 60] : 40);
    if (place === "panel") announce(told(task), Boolean(problem));
  }
  then?.(task);
}

/** The words for success. Undoing a top-up is not called a refund. */
export const doneWords = ({ verb, answer }) =>
  say.verbs[answer.offline ? "offline"
    : verb === "refund" && answer.amount.startsWith("-") ? "reverse" : verb][1];

/** The content of the panel as an announcement for screen readers. */
export function told(task) {
  const { id, status, about, answer, problem } = task;
  const resolved = resolvedWords((answer ?? problem).resolved, id).join(" ");
  if (status === "unknown") return spoken(unknownWords(task, repeatsItself(task)));
  if (problem) return [spoken(refusalWords(task)), resolved].filter(Boolean).join(" ");
  const due = handOut(task);
  const rest = due ? say.panel.handOut(shown(due))
    : answer.balance && balanceWords(task, answer.balance);
  // A closed card's balance is the cash to hand out.
  const what = [doneWords(task), !due && task.verb !== "close" && about].filter(Boolean).join(" ");
  return [what, rest, resolved].filter(Boolean).join(". ");
}

/** Asks for confirmation and sends a new request, because nothing was begun. */
async function askOnceMore(task, then) {
  const { id, verb, kind, body, place, about, problem } = task;
  const [title, action] = say.onceMore[problem.error];
  const what = kind in say.requests ? `${say.requests[kind]} ${about}`.trim()
    : [say.verbs[kind][0], about].filter(Boolean).join(", ");
  const lines = [problem.title, meaningOf(task), ...resolvedWords(problem.resolved)];
  dismiss(id);
  if (await confirmed(title(what), lines, action(about), "")) {
    // Only the card that the question was about, not another card that is there by now.
    const card = verb in say.served && (body.card ?? problem.uid);
    begin(verb, { ...body, ...(card && { card }), [ONCE_MORE[problem.error]]: true },
      { place, about, kind, then });
  }
}

// Only after a touch; otherwise, the browser refuses and logs a warning.
function vibrate(pattern) {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(pattern);
}

function noteOther(id, note) {
  change({ others: { ...state.others, [id]: note } });
  if (note.phase !== "done" && note.phase !== "failed") return;
  change({ ended: state.ended + 1 });
  // The reader is free again.
  Object.values(state.tasks).filter(repeatsItself).forEach((task) => repeat(task.id, 0));
  setTimeout(() => {
    const { [id]: gone, ...others } = state.others;
    change({ others });
  }, OTHERS_NOTE);
}

// A reload in the middle of an operation must not lose track of it.
function keepOpenTasks() {
  const open = Object.values(state.tasks)
    .filter(({ id, status }) => isOpen(id) || status === "unknown")
    .map(({ id, verb, kind, body, place, about, at, isAgain, doubt }) =>
      ({ id, verb, kind, body, place, about, at, isAgain, doubt }));
  sessionStorage.setItem(KEPT, JSON.stringify(open));
}

export function restoreTasks() {
  for (const task of JSON.parse(sessionStorage.getItem(KEPT) ?? "[]")) {
    const since = performance.now();
    const doubt = task.doubt && new Problem(task.doubt);
    const asking = { ...task, ...FRESH, doubt, status: "asking", since };
    change({ tasks: { ...state.tasks, [task.id]: asking } });
  }
}
