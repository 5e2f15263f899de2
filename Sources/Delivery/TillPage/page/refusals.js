// What a cashier reads after a refusal or an unknown outcome: a heading that says what happened to
// the money, and at most two short sentences. Screen readers announce exactly the visible text.

import { adviceByError, steps } from "./steps.js";
import { blamesTag, isLedgerProblem, isSerious, needsOtherTag, state } from "./store.js";
import { say } from "./strings.js";
import { balanceWords, cashToPayOut, minorUnits, resolvedWords, shown } from "./words.js";

const words = say.refused;
/** Errors for tags that are not cards. The cashier presses "Try again" before tapping a card. */
const NOT_CARDS = ["blank-tag", "not-a-card", "unsupported-tag"];
/** Requests that take effect once recorded; a payment takes effect only once it is on the card. */
const RECORDED_AT_START = [
  "add", "refund", "reverse", "scratch", "issue", "demo", "adopt", "replace",
];

/** The server's "Nothing was done", reworded for this kind of task; other sentences are kept. */
export const meaningOf = ({ kind, problem }) =>
  (/^Nothing (was |new was started\.$)/.test(problem.meaning)
    ? words.nothing[kind] ?? problem.meaning : problem.meaning);

/**
 * The page's own explanation of why no money moved. For an unusable tag, the server's explanation
 * is better.
 */
const ownReason = (problem) => (needsOtherTag(problem) ? null : words.why[problem.error]
  ?? (isLedgerProblem(problem) && problem.error !== "ledger-offline"
    ? words.why["ledger-unavailable"] : null));

/** Whether the task's operation is open in the ledger and must not be shown as refused. */
const hasBegun = ({ id, problem }) =>
  problem.operation === id && problem.error !== "operation-mismatch";

/** Steps and errors after which the "Try again" button can repeat the request. */
const REPEATABLE = [
  "hold", "hold-again", "hold-still", "lift-and-tap", "leave-one", "show-tickets", "again",
  "try-again", "use-new-id", "wait-for-operation", "no-card", "wrong-card", "not-begun",
  "operation-voided", "operation-mismatch", ...NOT_CARDS,
];

/** Whether the request could succeed on the next tap. If so, the panel offers a retry. */
export const canBeRepeated = (task) => !hasBegun(task) && !needsOtherTag(task.problem)
  && [task.problem.error, ...task.problem.next.map(({ step }) => step)]
    .some((each) => REPEATABLE.includes(each));

/** The advice for a task, with a warning if a ledger problem stopped a cash payout. */
function withoutCash({ kind, problem, body }, advice = "") {
  const paysOutCash = ["close", "reverse"].includes(kind) || body.paidOut;
  return problem.result === "ledger" && paysOutCash && !advice.includes(words.noCash)
    ? `${words.noCash} ${advice}`.trim() : advice;
}

/** The reason for a refusal, and what to do. */
function reasons({ kind, problem, body }) {
  const { error, title, advice } = problem;
  const { uid, balance } = state.seen ?? {};
  if (error === "insufficient-balance" && kind === "reverse") {
    const isKnown = uid === (problem.uid ?? body.card ?? uid) && balance;
    return [isKnown ? words.onlyLeft(shown(balance)) : words.tooLittle];
  }
  if (error === "ledger-offline" && body.tender) return [say.tender.offline];
  const step = problem.next.find(({ because }) => because in words.notOffline);
  if (error === "ledger-offline" && step) {
    const isSpent = step.amount && minorUnits(step.amount) === 0n;
    const why = (isSpent && words.spent[step.because])
      || words.notOffline[step.because](shown(step.amount));
    // The unfinished operation could be this same payment, made at another till. Taking cash for it
    // would charge the customer twice.
    return [why, step.because === "open-operation" ? steps["read-card-when-back"]
      : steps["wait-for-ledger"]];
  }
  if (error === "operation-voided") return words.voided[kind] ?? [words.nothing[kind]];
  const [what, next] = ownReason(problem)
    ?? [title, adviceByError[`${error} ${kind}`] ?? (advice || meaningOf({ kind, problem }))];
  return [what, NOT_CARDS.includes(error) ? steps.hold({}) : next];
}

/** The heading and the sentences shown for a refused task. */
export function refusalTexts(task) {
  const { title, advice, error } = task.problem;
  if (hasBegun(task)) return { title: words.open, lines: [title, words.openLine] };
  // The error `failed` does not say what happened to the money, so the server's title is kept.
  const heading = error !== "failed"
    && (words.titles[task.kind] ?? (error === "not-begun" && say.panel.failed));
  if (heading) {
    const [what, next] = reasons(task);
    return { title: heading, lines: [what, withoutCash(task, next)] };
  }
  // For an untrusted card, the title and advice say enough without the server's explanation.
  const meaning = task.problem.result !== "untrusted" && meaningOf(task);
  return { title: title || say.panel.failed, lines: [meaning, withoutCash(task, advice)] };
}

/**
 * The problem with the tag on the reader. In the money views, the advice is to use another card,
 * not to turn this tag into one.
 */
export function tagTexts(problem) {
  const { error, title, meaning, advice } = problem;
  // If the ledger cannot be used, the server's sentences mention sockets and commands, which do not
  // help a cashier.
  const isPlain = state.route.name === "add" || isLedgerProblem(problem);
  const [what, next] = (isPlain && ownReason(problem)) || [title, advice || meaning];
  return { warning: isSerious() && say.card.untrusted, title: what, lines: [next] };
}

/** The text for an unknown outcome. It stays the same if the page is reloaded. */
export function unknownTexts({ id, kind, about, body, doubt, needsCard }, isRepeated) {
  const titled = (what) => [what, about].filter(Boolean).join(", ");
  const title = titled(say.unknown.title);
  if (blamesTag(doubt)) {
    const isEarly = RECORDED_AT_START.includes(kind);
    const isRecorded = isEarly && doubt.operation === id;
    // The cash belongs in the drawer only if the ledger has this request.
    const lines = [(isRecorded || !isEarly) && say.unknown.yet[kind], doubt.advice];
    return { title: isRecorded ? titled(say.unknown.kept) : title, lines };
  }
  const isWrong = doubt.isWrongCard && state.onReader !== null;
  if (isWrong) return { title, lines: [say.unknown.wrongCard] };
  // The reason why the outcome could not be determined this time.
  const obstacle = doubt.error !== "outcome-unknown" && !doubt.isWrongCard && doubt.title;
  const next = needsCard === false ? say.unknown.noTap
    : body.paidOut ? say.unknown.noCard : isRepeated ? say.unknown.hold
    : say.unknown.press;
  return { title, lines: [next, obstacle] };
}

/** All lines as one announcement. The added periods make screen readers pause. */
export const spoken = ({ warning, title, lines }) =>
  [warning, title, ...lines].filter(Boolean).map((line) => line.replace(/[^.?!]$/, "$&."))
    .join(" ");

/** Whether the customer got money back: onto the card, or in cash without one. */
const isCredit = ({ amount, tender }) =>
  Boolean(amount) && amount.startsWith("-") === Boolean(tender);

/** The heading for success. Undoing a top-up or a sale without a card is not called a refund. */
export const doneText = ({ verb, answer }) =>
  say.verbs[answer.offline ? "offline" : answer.kind === "undo" ? "undo"
    : verb === "refund" && answer.amount.startsWith("-") ? "reverse"
      : verb === "pay" && isCredit(answer) ? "credit" : verb][1];

/** A task's outcome as an announcement for screen readers. */
export function told(task, isRepeated) {
  const { id, status, about, answer, problem } = task;
  const resolved = resolvedWords((answer ?? problem).resolved, id).join(" ");
  if (status === "unknown") return spoken(unknownTexts(task, isRepeated));
  if (problem) return [spoken(refusalTexts(task)), resolved].filter(Boolean).join(" ");
  const due = cashToPayOut(task);
  const rest = due ? say.panel.handOut(shown(due))
    : answer.balance && balanceWords(task, answer.balance);
  // For a payout, the next sentence states the amount anyway.
  const what = [doneText(task), !due && task.verb !== "close" && about].filter(Boolean).join(" ");
  return [what, rest, resolved].filter(Boolean).join(". ");
}
