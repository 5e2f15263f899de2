// What fills the page while an operation is under way: hold the card, the spinner, the check mark,
// the refusal, and the outcome that nobody knows yet.

import { h, icon } from "./dom.js";
import { isUsable } from "./store.js";
import { say } from "./strings.js";
import { cancel, dismiss, retry } from "./tasks.js";
import { button, consequences } from "./ui.js";
import { shown, uidWords } from "./words.js";

const FRESH_TAG = ["demo", "issue", "adopt", "replace"];
const SHORTEST_CHECK = 400;
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

const done = (task) => [
  [h("h1", { id: "title" }, say.verbs[task.verb][1]),
    [task.answer.uid && say.cardWords(uidWords(task.answer.uid)),
      task.answer.replayed && words.replayed].map((line) => line && h("p.lead", line)),
    task.answer.balance && h("p.big", words.balance(shown(task.answer.balance)))],
  [check(task), h("p.hint", { "aria-hidden": "true" }, words.goBack)],
];

const failed = ({ id, problem }) => [
  [title(problem.title || words.failed),
    consequences(problem, "p.lead"),
    button(say.back, () => dismiss(id), { tone: "strong" })],
  picture("cross"),
];

const unknown = ({ id, problem }) => [
  [title(say.unknown.title),
    h("p.lead", problem.title ? `${problem.title} ${problem.meaning}` : say.unknown.lead),
    h("ol", say.unknown.steps.map((step) => h("li", step))),
    h("div.row",
      button(say.unknown.again, () => retry(id),
        { tone: "strong", sign: "waves", disabled: !isUsable(), money: true }),
      button(say.unknown.leave, () => dismiss(id), { tone: "quiet" })),
    h("p.hint", say.unknown.leaveHint)],
  picture("ask"),
];

const kinds = { waiting, working, asking: working, done, failed, unknown };

export const renderStage = (task) => {
  const { id, status, verb, about } = task;
  const kind = status === "asking" ? "working" : status;
  const [told, sign] = kinds[kind](task);
  return h("section.stage", { key: id + kind, class: kind },
    h("div.told", h("p.what", [say.verbs[verb][0], about].filter(Boolean).join(", ")), told),
    h("div.sign", sign));
};

/** Escape or Back: takes back what may still be taken back. */
export function leaveStage({ id, status, doneAt }) {
  const isSeen = performance.now() - doneAt >= SHORTEST_CHECK;
  if (status === "waiting") cancel(id);
  else if (status === "failed" || (status === "done" && isSeen)) dismiss(id);
}
