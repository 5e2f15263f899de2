// Operations from the press of a button to their outcome. A task is done when the server's answer
// says so and never before; where the answer is lost, the operation is asked for by its id. That
// a question is refused, or a repetition, says nothing of what became of the operation.

import { call, OPERATION_LIMIT, Problem } from "./api.js";
import { announce, toast } from "./notices.js";
import { change, freshID, serve, state } from "./store.js";
import { say } from "./strings.js";

const KEPT = "tapcard.tasks";
const SHORTEST_SHOWING = 400;
const DEMO_SHOWING = 6000;
const OTHERS_NOTE = 5000;
const NEXT_QUESTION = 2000;
const afterwards = new Map();
const standing = new Map();
/** Those whose answer is still to come, and when those without one are asked for again. */
const sent = new Set();
const questions = new Map();
/** What is not done to the same card twice with one more tap. */
const SERVING = ["pay", "add", "ticket/buy"];
const FRESH = {
  status: "waiting", phase: null, since: null, outcome: null, answer: null, problem: null,
  isCancelling: false,
};

/**
 * Begins an operation. `place` says where it shows: "stage" fills the page, "own" belongs to the
 * view that shows it. `then` is told the task when its outcome is there.
 */
export function begin(verb, body = {}, { place = "stage", about = "", then } = {}) {
  const id = freshID();
  if (then) afterwards.set(id, then);
  change({ tasks: { ...state.tasks, [id]: { id, verb, body, place, about } } });
  send(id, (problem) => settle(id, { problem }));
}

/** What is done whenever an operation of this verb has ended, one from before a reload as well. */
export const whenever = (verb, then) => standing.set(verb, then);

/** Begins it again: under the same id it can never happen twice. */
export function retry(id) {
  alter(id, { isAgain: true });
  send(id, (problem) => ask(id, problem));
}

async function send(id, whenRefused) {
  alter(id, FRESH);
  if (state.card) spin(id);
  keepOpenTasks();
  const { verb, body } = state.tasks[id];
  const whole = { ...body, operation: id, client: state.client };
  sent.add(id);
  const outcome = await call("POST", verb, whole, OPERATION_LIMIT)
    .then((answer) => ({ answer }), (problem) => ({ problem }));
  sent.delete(id);
  const { problem } = outcome;
  if (problem?.result === "lost") ask(id);
  else if (problem && problem.result !== "unknown") whenRefused(problem);
  else settle(id, outcome);
}

/** Asks what became of an operation; a refusal is why it could not be begun again just now. */
async function ask(id, refusal) {
  clearTimeout(questions.get(id));
  if (!isPending(id)) return;
  alter(id, { status: "asking" });
  // What is open is asked for when somebody has logged in.
  if (state.needsLogin) return;
  try {
    const found = await call("GET", `operations/${id}`);
    if (!isPending(id)) return;
    if (refusal && found.problem?.result === "unknown") leaveUnknown(id, refusal);
    else follow(found);
  } catch (problem) {
    if (problem.error === "no-such-operation") leaveUnknown(id, refusal);
  }
  if (state.tasks[id]?.status !== "asking") return;
  clearTimeout(questions.get(id));
  questions.set(id, setTimeout(() => ask(id, refusal), NEXT_QUESTION));
}

const unknown = (title, meaning) => new Problem({ result: "unknown", title, meaning });

function leaveUnknown(id, refusal) {
  const { forgottenTitle, forgotten, notNow } = say.unknown;
  const [title, meaning] = refusal ? [refusal.title, notNow] : [forgottenTitle, forgotten];
  if (isPending(id)) settle(id, { problem: unknown(title, meaning) });
}

export async function cancel(id) {
  if (!isOpen(id) || state.tasks[id].isCancelling) return;
  alter(id, { isCancelling: true });
  try {
    follow(await call("DELETE", `operations/${id}`));
  } catch (problem) {
    if (!isOpen(id)) return;
    alter(id, { isCancelling: false });
    toast(problem.detail, "bad");
  }
}

export function dismiss(id) {
  afterwards.delete(id);
  const { [id]: gone, ...tasks } = state.tasks;
  change({ tasks });
  keepOpenTasks();
}

/** What the event stream says of an operation, of this tab or of another one. */
export function follow({ operation: id, client, verb, phase, uid, answer, problem }) {
  if (phase === "done") noteServed(verb, answer?.uid ?? uid);
  if (!state.tasks[id]) {
    if (client !== state.client && say.verbs[verb]) noteOther(id, { verb, phase, uid });
  } else if (isOpen(id) && !state.tasks[id].outcome) {
    // What is shown until the outcome is no outcome.
    if (phase === "done") settle(id, { answer });
    else if (phase === "failed") settle(id, { problem: new Problem(problem, problem.status) });
    else if (phase === "waiting") alter(id, { phase, status: "waiting", since: null });
    else spin(id, phase);
  }
}

/** After a reconnection nothing is claimed before it was asked for: what ended was not told. */
export function reconcile(operations) {
  change({ others: {} });
  operations.forEach(follow);
  const running = new Set(operations.map(({ operation }) => operation));
  for (const id of Object.keys(state.tasks)) if (!running.has(id)) ask(id);
}

/** Whoever has asked for it: the card that lies there then is the one it was done to. */
function noteServed(verb, uid) {
  if (!SERVING.includes(verb) || (state.link === "live" && state.lying === null)) return;
  serve(verb, { uid, session: state.lying });
}

export const isOpen = (id) => ["waiting", "working", "asking"].includes(state.tasks[id]?.status);

/** Whether nothing is on its way that would bring the outcome by itself. */
const isPending = (id) => isOpen(id) && !state.tasks[id].outcome && !sent.has(id);

function alter(id, values) {
  const task = state.tasks[id];
  if (task) change({ tasks: { ...state.tasks, [id]: { ...task, ...values } } });
}

const spin = (id, phase = state.tasks[id].phase) =>
  alter(id, { phase, status: "working", since: state.tasks[id].since ?? performance.now() });

// The first outcome counts: the stream and the answer both bring it.
function settle(id, outcome) {
  const task = state.tasks[id];
  if (!task || task.outcome || !isOpen(id)) return;
  // A ledger that could not be asked says nothing of an earlier try.
  if (task.isAgain && outcome.problem?.result === "ledger") {
    outcome = { problem: unknown(outcome.problem.title, say.unknown.notNow) };
  }
  alter(id, { outcome });
  if (outcome.problem && task.since === null) {
    show(id);
    return;
  }
  if (task.since === null) spin(id);
  const isStretched = state.settings.demoPace && task.verb === "pay";
  const showing = isStretched ? DEMO_SHOWING : SHORTEST_SHOWING;
  setTimeout(() => show(id), state.tasks[id].since + showing - performance.now());
}

function show(id) {
  const { outcome, place, verb } = state.tasks[id] ?? {};
  if (!outcome) return;
  const { problem } = outcome;
  const then = afterwards.get(id) ?? standing.get(verb);
  const status = !problem ? "done" : problem.error === "cancelled" ? "cancelled"
    : problem.result === "unknown" ? "unknown" : "failed";
  alter(id, { ...outcome, status, outcome: null, doneAt: performance.now() });
  change({ ended: state.ended + 1 });
  keepOpenTasks();
  const task = state.tasks[id];
  // Where the stream is lost, nothing else says so.
  if (status === "done" && state.link !== "live") noteServed(verb, task.answer.uid);
  if (status === "cancelled") {
    dismiss(id);
    toast(say.cancelled[verb] ?? say.cancelled.all);
  } else {
    vibrate(problem ? [60, 80, 60] : 40);
    if (place === "stage") {
      announce(problem ? problem.detail : say.verbs[verb][1], Boolean(problem));
    }
  }
  then?.(task);
}

// Only after a touch: a browser refuses it otherwise, and says so in the log.
function vibrate(pattern) {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(pattern);
}

function noteOther(id, note) {
  change({ others: { ...state.others, [id]: note } });
  if (note.phase !== "done" && note.phase !== "failed") return;
  change({ ended: state.ended + 1 });
  setTimeout(() => {
    const { [id]: gone, ...others } = state.others;
    change({ others });
  }, OTHERS_NOTE);
}

// A reload in the middle of an operation must not lose sight of it.
function keepOpenTasks() {
  const open = Object.values(state.tasks)
    .filter(({ id, status }) => isOpen(id) || status === "unknown")
    .map(({ id, verb, body, place, about, isAgain }) =>
      ({ id, verb, body, place, about, isAgain }));
  sessionStorage.setItem(KEPT, JSON.stringify(open));
}

export function restoreTasks() {
  for (const task of JSON.parse(sessionStorage.getItem(KEPT) ?? "[]")) {
    const since = performance.now();
    const asking = { ...task, ...FRESH, status: "asking", since };
    change({ tasks: { ...state.tasks, [task.id]: asking } });
  }
}
