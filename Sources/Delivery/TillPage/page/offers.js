// The actions that the page offers for the tag on the reader. The server decides them: a refusal
// names the steps that it would accept, and the settings say whether this station makes cards.

import { state, trustedCard } from "./store.js";

/** The member with which a request is accepted after it was refused with this step. */
const MEMBERS = {
  overwrite: "overwrite", "overwrite-by-demo": "overwrite", "overwrite-by-issuing": "overwrite",
  "import-keys-or-overwrite": "overwrite", "adopt-or-overwrite": "overwrite",
  reissue: "reissue", "reissue-tag": "reissue", "begin-new-account": "reissue",
  "adopt-or-reissue": "reissue",
};
/** Steps that a tag is refused with if it can become a card at once. */
const MAKING_STEPS = ["issue", "overwrite-by-demo"];
const MAKING = ["issue", "demo", "replace"];
const LOADING = [...MAKING, "adopt"];
/** Verbs for a card that the ledger knows: the one on the reader, or any by its number. */
const ON_KNOWN = ["repair", "block", "unblock", "forget"];
const ENDED = ["closed", "replaced"];
/** Verbs that need no card on the reader if its number is given. */
export const WITHOUT_TAP = ["block", "unblock", "forget"];
/** The NTAG 424: its card cannot be copied, and it takes no password. */
export const PROVING = "NTAG424";

/** Whether this station makes cards and puts money on them. One with a table of keys only sells. */
export const loadsCards = () => state.settings?.loadsCards !== false;

/** The member with which a refused request is accepted after a confirmation; null for none. */
export function memberFor(verb, { next }) {
  if (!MAKING.includes(verb)) return null;
  return next.map(({ step }) => MEMBERS[step]).find(Boolean) ?? null;
}

/** Whether the account of the card on the reader has ended, so that its tag can be used again. */
export const isEnded = () => !state.card?.problem && ENDED.includes(state.card?.read?.ledger);

/** Whether the tag on the reader has no card in use on it and can become one. */
export const canBecomeCard = () => loadsCards() && (isEnded()
  || Boolean(state.card?.problem?.next.some(({ step }) => MAKING_STEPS.includes(step))));

/** Whether a request to make a card of the tag on the reader can succeed. */
function canBeMade() {
  const { problem } = state.card ?? {};
  return !problem || problem.result === "failed"
    || problem.next.some(({ step }) => step in MEMBERS || MAKING_STEPS.includes(step));
}

/** Whether it can be done here at all; a closed or replaced card can never be unblocked. */
export const isOffered = (verb, hasNumber) => (verb === "unblock" ? hasNumber || !isEnded()
  : loadsCards() || !LOADING.includes(verb));

/** Whether it can be done to the card on the reader; without one it is asked for. */
export function isPossible(verb, hasNumber) {
  const { read, problem } = state.card ?? {};
  // A payout needs a known balance.
  if (verb === "close") return Boolean(trustedCard());
  if (ON_KNOWN.includes(verb) && hasNumber) return true;
  if (!state.card) return true;
  if (MAKING.includes(verb)) return canBeMade();
  const isKnown = Boolean(read) && read.ledger !== "unknown";
  if (verb === "adopt") return Boolean(read) && !problem && !isKnown;
  return isKnown && (verb !== "unblock" || read.ledger === "blocked")
    && (verb !== "block" || read.ledger !== "blocked");
}

/** The chip on the reader; null if it is unknown. */
const chip = () => state.card?.read?.chip
  ?? state.card?.problem?.next.find((step) => step.chip)?.chip ?? null;

/** Whether the tag on the reader proves itself, so that a password means nothing to it. */
export const provesItself = () => chip() === PROVING;
