// The texts of a refusal or unknown outcome for a cashier: a heading about the money, and at most
// two short sentences. The visible text is also the announced text.

import { state } from "./store.js";
import { say } from "./strings.js";
import { shown } from "./words.js";

const words = say.refused;

/** What the server says of no change, in the words of this kind; what it says besides stays. */
export const meaningOf = ({ kind, problem }) =>
  (/^Nothing was /.test(problem.meaning) ? words.nothing[kind] ?? problem.meaning
    : problem.meaning);

/** Why it was refused, and what to do. */
function reasons({ kind, problem, body }) {
  const { error, title, advice } = problem;
  const { uid, balance } = state.seen ?? {};
  if (error === "insufficient-funds" && kind === "reverse") {
    const isKnown = uid === (problem.uid ?? body.card ?? uid) && balance;
    return [isKnown ? words.onlyLeft(shown(balance)) : words.tooLittle];
  }
  if (error === "operation-voided") return words.voided[kind] ?? [words.nothing[kind]];
  return words.why[error] ?? [title, advice || meaningOf({ kind, problem })];
}

/** The heading and the sentences of a task that was refused. */
export function refusalWords(task) {
  const { title, advice, error } = task.problem;
  // A failure without a known reason tells nothing about the money.
  const heading = error !== "failed" && words.titles[task.kind];
  if (heading) return { title: heading, lines: reasons(task) };
  return { title: title || say.stage.failed, lines: [meaningOf(task), advice] };
}

const MONEY_VIEWS = ["pay", "add"];

/** What is wrong with the tag on the reader; whoever takes money needs another one, no new card. */
export function tagWords({ error, title, meaning, advice }) {
  const why = MONEY_VIEWS.includes(state.route.name) && words.why[error];
  return why ? { title: why[0], lines: why.slice(1) } : { title, lines: [meaning, advice] };
}

/** The same words before a reload and after it, whatever the server said of it. */
export function unknownWords({ about, body, doubt }, isRepeated) {
  const title = [say.unknown.title, about].filter(Boolean).join(", ");
  const isWrong = doubt.isWrongCard && state.lying !== null;
  if (isWrong) return { title, lines: [say.unknown.wrongCard] };
  // The reason why the outcome could not be requested just now.
  const obstacle = doubt.error !== "outcome-unknown" && !doubt.isWrongCard && doubt.title;
  const next = body.paidOut ? say.unknown.noCard : isRepeated ? say.unknown.hold
    : say.unknown.press;
  return { title, lines: [next, obstacle] };
}

/** The same for those who do not see it. */
export const spoken = ({ title, lines }) =>
  [title, ...lines].filter(Boolean).map((line) => line.replace(/[^.?!]$/, "$&.")).join(" ");
