// The texts of a refusal or unknown outcome for a cashier: a heading about the money, and at most
// two short sentences. The visible text is also the announced text.

import { steps } from "./steps.js";
import { blamesTag, isGrave, needsOtherTag, OF_LEDGER, state } from "./store.js";
import { say } from "./strings.js";
import { minorUnits, shown } from "./words.js";

const words = say.refused;
/** Tags that are not cards; holding a card instead does nothing until somebody tries again. */
const NO_CARD = ["blank-tag", "not-a-card", "unsupported-tag"];
/** Booked as soon as they begin; a payment happens only once its card has it. */
const KEPT = ["add", "refund", "reverse", "scratch", "issue", "demo", "adopt", "replace"];

/** The server's "nothing was done" in the words of this kind of task; other sentences stay. */
export const meaningOf = ({ kind, problem }) =>
  (/^Nothing (was |new was started\.$)/.test(problem.meaning)
    ? words.nothing[kind] ?? problem.meaning : problem.meaning);

/** The page's own words for why no money moves; for a ruined tag, the server's say more. */
const plainWords = (problem) => (needsOtherTag(problem) ? null : words.why[problem.error]);

/** Whether the ledger has the task's own operation open: then nothing may be said to be refused. */
const isBegun = ({ id, problem }) =>
  problem.operation === id && problem.error !== "operation-mismatch";

/** Steps and errors after which the same may be asked for once more: "try again" is a button. */
const REPEATABLE = [
  "hold", "hold-again", "hold-still", "lift-and-tap", "leave-one", "show-tickets", "again",
  "try-again", "use-new-id", "wait-for-operation", "no-card", "wrong-card", "not-begun",
  "operation-voided", "operation-mismatch", ...NO_CARD,
];

/** Whether the same request may pass with a card there, so that the panel offers to try again. */
export const canBeRepeated = (task) => !isBegun(task) && !needsOtherTag(task.problem)
  && [task.problem.error, ...task.problem.next.map(({ step }) => step)]
    .some((each) => REPEATABLE.includes(each));

/** The reason of a refusal, and what to do. */
function reasons({ kind, problem, body }) {
  const { error, title, advice } = problem;
  const { uid, balance } = state.seen ?? {};
  if (error === "insufficient-balance" && kind === "reverse") {
    const isKnown = uid === (problem.uid ?? body.card ?? uid) && balance;
    return [isKnown ? words.onlyLeft(shown(balance)) : words.tooLittle];
  }
  const step = problem.next.find(({ because }) => because in words.notOffline);
  if (error === "ledger-offline" && step) {
    const isSpent = step.amount && minorUnits(step.amount) === 0n;
    const why = (isSpent && words.spent[step.because])
      || words.notOffline[step.because](shown(step.amount));
    // What is unfinished may be this payment, at another till: then no cash may be taken for it.
    return [why, step.because === "open-operation" ? steps["read-card-when-back"]
      : words.untilBack];
  }
  if (error === "operation-voided") return words.voided[kind] ?? [words.nothing[kind]];
  const [what, next] = plainWords(problem) ?? [title, advice || meaningOf({ kind, problem })];
  return [what, NO_CARD.includes(error) ? steps.hold({}) : next];
}

/** The heading and the sentences of a refused task. */
export function refusalWords(task) {
  const { title, advice, error } = task.problem;
  if (isBegun(task)) return { title: words.open, lines: [title, words.openLine] };
  // A failure without a known reason tells nothing about the money.
  const heading = error !== "failed"
    && (words.titles[task.kind] ?? (error === "not-begun" && say.panel.failed));
  if (heading) return { title: heading, lines: reasons(task) };
  // Of a card that is not what it says, the page has words of its own, and they are enough.
  const meaning = task.problem.result !== "untrusted" && meaningOf(task);
  return { title: title || say.panel.failed, lines: [meaning, advice] };
}

const MONEY_VIEWS = ["pay", "add"];

/** The problem of the tag on the reader; at the till the advice is another card, not a new one. */
export function tagWords(problem) {
  const { error, title, meaning, advice } = problem;
  // The server's words for a ledger that takes no money name sockets and commands.
  const isPlain = MONEY_VIEWS.includes(state.route.name) || OF_LEDGER.includes(error);
  const [what, next] = (isPlain && plainWords(problem)) || [title, advice || meaning];
  return { warning: isGrave() && say.card.untrusted, title: what, lines: [next] };
}

/** The texts of an unknown outcome; they do not change with a reload. */
export function unknownWords({ id, kind, about, body, doubt }, isRepeated) {
  const titled = (what) => [what, about].filter(Boolean).join(", ");
  const title = titled(say.unknown.title);
  if (blamesTag(doubt)) {
    const isKept = KEPT.includes(kind) && doubt.operation === id;
    // The cash belongs in the drawer only if the ledger has this request.
    const lines = [(isKept || !KEPT.includes(kind)) && say.unknown.yet[kind], doubt.advice];
    return { title: isKept ? titled(say.unknown.kept) : title, lines };
  }
  const isWrong = doubt.isWrongCard && state.lying !== null;
  if (isWrong) return { title, lines: [say.unknown.wrongCard] };
  // The reason why the outcome could not be requested just now.
  const obstacle = doubt.error !== "outcome-unknown" && !doubt.isWrongCard && doubt.title;
  const next = body.paidOut ? say.unknown.noCard : isRepeated ? say.unknown.hold
    : say.unknown.press;
  return { title, lines: [next, obstacle] };
}

/** The texts as one announcement for screen readers. */
export const spoken = ({ warning, title, lines }) =>
  [warning, title, ...lines].filter(Boolean).map((line) => line.replace(/[^.?!]$/, "$&."))
    .join(" ");
