// The panel, which fills the page during an operation. It shows a prompt to tap the card, a
// spinner, a check mark, a refusal, or an unknown outcome.

import { h, icon } from "./dom.js";
import { WITHOUT_TAP } from "./offers.js";
import { canBeRepeated, doneText, refusalTexts, unknownTexts } from "./refusals.js";
import { canRun, isUsable, needsOtherTag, panelTask, state } from "./store.js";
import { say } from "./strings.js";
import {
  begin, callbackOf, cancel, dismiss, leaveOpen, repeatsItself, retry,
} from "./tasks.js";
import { button } from "./ui.js";
import {
  balanceWords, cashToPayOut, resolvedPayOut, resolvedWords, shown, uidWords,
} from "./words.js";

const FRESH_TAG = ["demo", "issue", "adopt", "replace"];
const MINIMUM_CHECK_SHOWN = 400;
const MINIMUM_PAID_SHOWN = 2000;
/** Verbs whose result disappears once the card is removed. */
const SELF_CLOSING = ["add", "ticket/buy", "refund"];
const words = say.panel;

// Focuses a node without scrolling, so that the content above stays visible.
const focused = (node) => { node.focus({ preventScroll: true }); };
const leads = (lines) => lines.map((line) => line && h("p.lead", line));
const title = (text) => h("h1", { id: "title", tabindex: "-1", mount: focused }, text);
const picture = (sign) => h("div.picture", icon(sign));

export const spinner = () => h("svg.spinner", { viewBox: "0 0 100 100", "aria-hidden": "true" },
  [0, 1].map(() => h("circle", { cx: 50, cy: 50, r: 44 })));

/** The text and picture of each kind of panel. The picture is where the till shows its tiles. */
const waiting = ({ id, verb, isCanceling }) => [
  [title(FRESH_TAG.includes(verb) ? words.holdTag : words.hold),
    button(isCanceling ? words.canceling : say.cancel, () => cancel(id),
      { disabled: isCanceling, sign: "cross" })],
  h("div.picture.hold", icon("waves"), h("i")),
];

/** Whether the task needs no card on the reader, because the request has the card's number. */
const isByNumber = ({ verb, body, needsCard }) =>
  needsCard === false || (WITHOUT_TAP.includes(verb) && Boolean(body.card));

function working(task) {
  const isAsking = task.status === "asking";
  const phase = isByNumber(task) ? null : say.phases[task.phase];
  return [
    [title(isAsking ? words.asking : phase ?? say.phases.working),
      !isAsking && !isByNumber(task) && h("p.lead", words.keep)],
    h("div.picture", spinner()),
  ];
}

const dismissLabel = ({ verb }) => (SELF_CLOSING.includes(verb) ? words.next : words.goBack);

// The check mark is guarded, because it appears where the tiles were, and a double tap must not
// dismiss the result.
const check = (task) => h("button.picture.check", {
  mount: focused, "aria-label": dismissLabel(task), "data-money": true,
  onclick: () => dismiss(task.id),
}, h("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" },
  h("circle", { cx: 50, cy: 50, r: 46 }), h("path", { d: "M28 52l15 15 29-32" })));

/** Undoes a top-up with one press if the card is still on the reader. */
function undo({ id, answer, about, body }) {
  dismiss(id);
  begin("refund", { payment: answer.operation },
    { about, kind: "reverse", paidBy: body.tender });
}

/** Whether the task's card is still on the reader, even while it is being read again. */
const isOnReader = ({ answer, doneOn }) => (state.card ? state.card.read?.uid === answer.uid
  : state.onReader !== null && state.onReader === doneOn);

const canUndo = (task) => task.verb === "add" && isUsable() && isOnReader(task);

const undoButton = (task) => button(words.undoOut(task.about), () => undo(task),
  { sign: "undo", money: true });

/** The card's current balance or, if it has not been read again, the balance after this task. */
function balanceLine(task) {
  const { uid, balance, offline } = task.answer;
  const read = state.card?.read;
  if (!balance) return null;
  const isHere = read?.uid === uid;
  return h("p.big", offline || isHere ? balanceWords(task, offline ? balance : read.balance)
    : words.afterwards(shown(balance)));
}

/** The name on the task's card if it was the last card read, otherwise the card's number. */
function whose({ uid }) {
  const name = uid && state.seen?.uid === uid && state.seen.name;
  return name ? h("p.big", name) : uid && h("p.lead", say.cardWords(uidWords(uid)));
}

/** What to do with the money after a sale without a card was undone. */
function undoneWords({ tender, paid }) {
  const isReturned = paid.startsWith("-");
  const words = isReturned ? say.tender.undone[tender] : say.tender.due[tender];
  return words?.(shown(paid.replace("-", "")));
}

const done = (task) => [
  [h("h1", { id: "title", tabindex: "-1" }, doneText(task)),
    whose(task.answer),
    cashToPayOut(task) && h("p.due", words.handOut(shown(cashToPayOut(task)))),
    [
      task.answer.kind === "undo" && undoneWords(task.answer),
      task.kind === "reverse" && say.tender.undone[task.paidBy]?.(task.about),
      task.answer.offline && say.offlinePayments.done,
      task.answer.replayed && words.replayed,
      ...resolvedWords(task.answer.resolved, task.id)].map((line) => line && h("p.lead", line)),
    balanceLine(task),
    canUndo(task) && undoButton(task)],
  [check(task), h("p.hint", { "aria-hidden": "true" }, dismissLabel(task))],
];

/** The other operations that the tap resolved, and the cash to pay out for them. */
const otherResolved = (resolved, id) => [
  resolvedPayOut(resolved) && h("p.due", words.handOut(shown(resolvedPayOut(resolved)))),
  resolvedWords(resolved, id).map((line) => h("p.lead", line)),
];

/** Sends the request again with a new ID, because the old request never began. */
function repeat({ id, verb, body, place, about, kind, needsCard }) {
  const then = callbackOf(id);
  dismiss(id);
  begin(verb, body, { place, about, kind, then, needsCard });
}

const failed = (task, isAgain = canBeRepeated(task)) => [
  [title(refusalTexts(task).title),
    leads(refusalTexts(task).lines),
    otherResolved(task.problem.resolved, task.id),
    h("div.row",
      isAgain && button(say.again, () => repeat(task),
        { tone: "strong", sign: "waves", disabled: !canRun(task), money: true }),
      button(say.back, () => dismiss(task.id), { tone: isAgain ? "quiet" : "strong" }))],
  picture("cross"),
];

const unknown = (task) => [
  [title(unknownTexts(task).title),
    leads(unknownTexts(task, repeatsItself(task)).lines),
    h("div.row",
      !repeatsItself(task) && !needsOtherTag(task.doubt)
        && button(say.unknown.again, () => retry(task.id, true),
          { tone: "strong", sign: "waves", disabled: !canRun(task), money: true }),
      button(say.unknown.leave, () => leaveOpen(task.id), { tone: "quiet" }))],
  picture("ask"),
];

const kinds = { waiting, working, done, failed, unknown };

export const renderPanel = (task) => {
  const { id, verb, status, kind: what, about, body, doubt } = task;
  const whom = about || (body.card && uidWords(body.card));
  // An unknown outcome stays visible until it is resolved, even while other requests run.
  const kind = doubt && ["waiting", "asking"].includes(status) ? "unknown"
    : status === "asking" || (status === "waiting" && isByNumber(task)) ? "working" : status;
  const [told, sign] = kinds[kind](task);
  return h("section.panel", { key: id + kind, class: `${kind} of-${verb.replace("/", "-")}` },
    h("div.told", h("p.what", [say.verbs[what][0], whom].filter(Boolean).join(", ")), told),
    h("div.sign", sign));
};

let leaving = null;

/** Closes a task's result once its card has been removed, if the verb is in SELF_CLOSING. */
export function closeWhenCardRemoved({ link, onReader }) {
  const task = panelTask();
  // If there is cash to pay out, the panel stays until the cashier dismisses it.
  const isOver = task?.status === "done" && SELF_CLOSING.includes(task.verb) && !cashToPayOut(task);
  if (!isOver || task.id === leaving || link !== "live" || onReader !== null) return;
  leaving = task.id;
  setTimeout(() => dismiss(task.id), task.doneAt + MINIMUM_PAID_SHOWN - performance.now());
}

/** Handles Escape and Back: cancels what can still be canceled. */
export function leavePanel({ id, status, doneAt, doubt }) {
  // A key press meant to cancel the operation must not dismiss a result that has only just
  // appeared.
  const wasSeen = performance.now() - doneAt >= MINIMUM_CHECK_SHOWN;
  if (status === "waiting" && !doubt) cancel(id);
  else if (status === "failed" || (status === "done" && wasSeen)) dismiss(id);
}
