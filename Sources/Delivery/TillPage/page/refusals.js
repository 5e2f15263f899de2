// What a cashier reads after a refusal or an unknown outcome: a heading that says what happened to
// the money, and at most two short sentences. Screen readers announce what is visible.

import { steps } from "./steps.js";
import { blamesTag, isGrave, needsOtherTag, OF_LEDGER, state } from "./store.js";
import { say } from "./strings.js";
import { minorUnits, shown } from "./words.js";

const words = say.refused;
/** Tags that are not cards. Tapping a card instead has no effect until the cashier tries again. */
const NO_CARD = ["blank-tag", "not-a-card", "unsupported-tag"];
/** Kinds that are recorded as soon as they begin; a payment counts only once it is on the card. */
const KEPT = ["add", "refund", "reverse", "scratch", "issue", "demo", "adopt", "replace"];

/** The server's "nothing was done", reworded for this kind of task; other sentences are kept. */
export const meaningOf = ({ kind, problem }) =>
  (/^Nothing (was |new was started\.$)/.test(problem.meaning)
    ? words.nothing[kind] ?? problem.meaning : problem.meaning);

/** The page's own explanation of why no money moves; for a ruined tag, the server's says more. */
const plainWords = (problem) => (needsOtherTag(problem) ? null : words.why[problem.error]);

/** Whether the task's operation is still open in the ledger and must not be called refused. */
const isBegun = ({ id, problem }) =>
  problem.operation === id && problem.error !== "operation-mismatch";

/** Steps and errors after which the request can be repeated: "Try again" is then a button. */
const REPEATABLE = [
  "hold", "hold-again", "hold-still", "lift-and-tap", "leave-one", "show-tickets", "again",
  "try-again", "use-new-id", "wait-for-operation", "no-card", "wrong-card", "not-begun",
  "operation-voided", "operation-mismatch", ...NO_CARD,
];

/** Whether the request could succeed once a card is tapped, so that the panel offers a retry. */
export const canBeRepeated = (task) => !isBegun(task) && !needsOtherTag(task.problem)
  && [task.problem.error, ...task.problem.next.map(({ step }) => step)]
    .some((each) => REPEATABLE.includes(each));

/** The reason for a refusal, and what to do. */
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
    // The unfinished operation may be this very payment, made at another till, so no cash may be
    // taken for it.
    return [why, step.because === "open-operation" ? steps["read-card-when-back"]
      : words.untilBack];
  }
  if (error === "operation-voided") return words.voided[kind] ?? [words.nothing[kind]];
  const [what, next] = plainWords(problem) ?? [title, advice || meaningOf({ kind, problem })];
  return [what, NO_CARD.includes(error) ? steps.hold({}) : next];
}

/** The heading and the sentences shown for a refused task. */
export function refusalWords(task) {
  const { title, advice, error } = task.problem;
  if (isBegun(task)) return { title: words.open, lines: [title, words.openLine] };
  // A failure without a known reason says nothing about the money.
  const heading = error !== "failed"
    && (words.titles[task.kind] ?? (error === "not-begun" && say.panel.failed));
  if (heading) return { title: heading, lines: reasons(task) };
  // For a card that is not what it claims to be, the page's own words are enough.
  const meaning = task.problem.result !== "untrusted" && meaningOf(task);
  return { title: title || say.panel.failed, lines: [meaning, advice] };
}

const MONEY_VIEWS = ["pay", "add"];

/** The problem with the tag on the reader; the till advises using another card, not making one. */
export function tagWords(problem) {
  const { error, title, meaning, advice } = problem;
  // When the ledger cannot be used, the server's sentences mention sockets and commands.
  const isPlain = MONEY_VIEWS.includes(state.route.name) || OF_LEDGER.includes(error);
  const [what, next] = (isPlain && plainWords(problem)) || [title, advice || meaning];
  return { warning: isGrave() && say.card.untrusted, title: what, lines: [next] };
}

/** The words for an unknown outcome; they stay the same when the page is reloaded. */
export function unknownWords({ id, kind, about, body, doubt }, isRepeated) {
  const titled = (what) => [what, about].filter(Boolean).join(", ");
  const title = titled(say.unknown.title);
  if (blamesTag(doubt)) {
    const isKept = KEPT.includes(kind) && doubt.operation === id;
    // The cash belongs in the drawer only if the ledger has this request.
    const lines = [(isKept || !KEPT.includes(kind)) && say.unknown.yet[kind], doubt.advice];
    return { title: isKept ? titled(say.unknown.kept) : title, lines };
  }
  const isWrong = doubt.isWrongCard && state.onReader !== null;
  if (isWrong) return { title, lines: [say.unknown.wrongCard] };
  // Why the outcome could not be requested just now.
  const obstacle = doubt.error !== "outcome-unknown" && !doubt.isWrongCard && doubt.title;
  const next = body.paidOut ? say.unknown.noCard : isRepeated ? say.unknown.hold
    : say.unknown.press;
  return { title, lines: [next, obstacle] };
}

/** The sentences as one announcement for screen readers. */
export const spoken = ({ warning, title, lines }) =>
  [warning, title, ...lines].filter(Boolean).map((line) => line.replace(/[^.?!]$/, "$&."))
    .join(" ");
