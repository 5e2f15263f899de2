// What fills the page while an operation is under way: hold the card, the spinner, the check mark,
// the refusal, and the outcome that nobody knows yet.

import { h, icon } from "./dom.js";
import { isUsable, stagedTask, state } from "./store.js";
import { say } from "./strings.js";
import {
  begin, cancel, dismiss, doneWords, leaveOpen, repeatsItself, retry,
} from "./tasks.js";
import { button, consequences } from "./ui.js";
import { handOut, settledPayOut, settledWords, shown, uidWords } from "./words.js";

const FRESH_TAG = ["demo", "issue", "adopt", "replace"];
const SHORTEST_CHECK = 400;
const SHORTEST_PAID = 2000;
const UNDONE = ["pay", "add"];
/** What goes by itself. */
const GOING = ["pay", "add", "ticket/buy", "refund"];
const words = say.stage;

const focused = (node) => { node.focus(); };
const title = (text) => h("h1", { id: "title", tabindex: "-1", mount: focused }, text);
const picture = (sign) => h("div.picture", icon(sign));

export const spinner = () => h("svg.spinner", { viewBox: "0 0 100 100", "aria-hidden": "true" },
  [0, 1].map(() => h("circle", { cx: 50, cy: 50, r: 44 })));

/** The words of a kind, and the picture, which is where the counter shows its tiles. */
const waiting = ({ id, verb, isCancelling }) => [
  [title(FRESH_TAG.includes(verb) ? words.holdTag : words.hold),
    button(isCancelling ? words.cancelling : say.cancel, () => cancel(id),
      { disabled: isCancelling, sign: "cross" })],
  h("div.picture.hold", icon("waves"), h("i")),
];

const working = ({ status, phase }) => [
  [title(status === "asking" ? words.asking : say.phases[phase] ?? say.phases.working),
    status !== "asking" && h("p.lead", words.keep)],
  h("div.picture", spinner()),
];

const check = (task) => h("button.picture.check", {
  mount: focused, "aria-label": words.goBack, "data-money": true, onclick: () => dismiss(task.id),
}, h("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" },
  h("circle", { cx: 50, cy: 50, r: 46 }), h("path", { d: "M28 52l15 15 29-32" })));

/** A mistake is taken back while its card is there, with one press. */
function undo({ id, answer, about }) {
  dismiss(id);
  begin("refund", { payment: answer.operation }, { about });
}

const canUndo = ({ verb, answer }) => UNDONE.includes(verb) && isUsable() && state.lying !== null
  && [answer.uid, undefined].includes(state.card?.read?.uid);

const done = (task) => [
  [h("h1", { id: "title" }, doneWords(task)),
    handOut(task) && h("p.due", words.handOut(shown(handOut(task)))),
    [task.answer.uid && say.cardWords(uidWords(task.answer.uid)),
      task.answer.replayed && words.replayed,
      ...settledWords(task.answer.settled, task.id)].map((line) => line && h("p.lead", line)),
    task.answer.balance && h("p.big", words.balance(shown(task.answer.balance))),
    canUndo(task) && button(words.undo, () => undo(task), { sign: "previous", money: true })],
  [check(task), h("p.hint", { "aria-hidden": "true" }, words.goBack)],
];

// What was given up has a name for cashiers; all else is said in the server's words.
const refusal = ({ verb, problem }) => (problem.error === "operation-voided" && words.voided[verb])
  || { ...problem, title: problem.title || words.failed };

/** What the tap has settled besides, and what is to be handed out for it. */
const besides = (settled, id) => [
  settledPayOut(settled) && h("p.due", words.handOut(shown(settledPayOut(settled)))),
  settledWords(settled, id).map((line) => h("p.lead", line)),
];

const failed = ({ id, ...task }) => [
  [title(refusal(task).title),
    consequences(refusal(task), "p.lead"),
    besides(task.problem.settled, id),
    button(say.back, () => dismiss(id), { tone: "strong" })],
  picture("cross"),
];

/** Of the server's words, what happened: pages and numbers mean nothing to a cashier. */
const happened = ({ title: words }) =>
  /^.*?\.(?= |$)/.exec(words.replace(/ \([^)]*\)/g, ""))?.[0] ?? "";

const unknown = ({ id, doubt, ...task }) => [
  [title(say.unknown.title),
    h("p.lead", doubt.error === "outcome-unknown" ? `${happened(doubt)} ${say.unknown.lead}`
      : `${doubt.title} ${doubt.meaning}`),
    h("ol", [repeatsItself(task) ? say.unknown.hold : say.unknown.press, ...say.unknown.steps]
      .map((step) => h("li", step))),
    h("div.row",
      !repeatsItself(task) && button(say.unknown.again, () => retry(id),
        { tone: "strong", sign: "waves", disabled: !isUsable(), money: true }),
      button(say.unknown.leave, () => leaveOpen(id), { tone: "quiet" })),
    h("p.hint", say.unknown.leaveHint)],
  picture("ask"),
];

const kinds = { waiting, working, asking: working, done, failed, unknown };

export const renderStage = (task) => {
  const { id, status, verb, about, doubt } = task;
  // As long as nobody knows, that is what is shown, whatever is asked meanwhile.
  const kind = doubt && ["waiting", "asking"].includes(status) ? "unknown"
    : status === "asking" ? "working" : status;
  const [told, sign] = kinds[kind](task);
  return h("section.stage", { key: id + kind, class: kind },
    h("div.told", h("p.what", [say.verbs[verb][0], about].filter(Boolean).join(", ")), told),
    h("div.sign", sign));
};

let leaving = null;

/** What was paid need not be looked at any more when its card has left. */
export function leaveWhenGone({ link, lying }) {
  const task = stagedTask();
  const isOver = task?.status === "done" && GOING.includes(task.verb) && !handOut(task);
  if (!isOver || task.id === leaving || link !== "live" || lying !== null) return;
  leaving = task.id;
  setTimeout(() => dismiss(task.id), task.doneAt + SHORTEST_PAID - performance.now());
}

/** Escape or Back: takes back what may still be taken back. */
export function leaveStage({ id, status, doneAt, doubt }) {
  const isSeen = performance.now() - doneAt >= SHORTEST_CHECK;
  if (status === "waiting" && !doubt) cancel(id);
  else if (status === "failed" || (status === "done" && isSeen)) dismiss(id);
}
