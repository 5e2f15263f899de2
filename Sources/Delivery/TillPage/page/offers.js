// The actions that the page offers for the tag on the reader. The server decides: its refusal lists
// the steps it would accept, and its first event says whether this till can make cards.

import { isAllowed, may } from "./roles.js";
import { state, trustedCard } from "./store.js";

/** For each step in a refusal, the member to add so that the server accepts the request. */
const MEMBERS = {
  overwrite: "overwrite", "overwrite-by-demo": "overwrite", "overwrite-by-issuing": "overwrite",
  "import-keys-or-overwrite": "overwrite", "adopt-or-overwrite": "overwrite",
  reissue: "reissue", "reissue-tag": "reissue", "begin-new-account": "reissue",
  "adopt-or-reissue": "reissue",
};
/** The steps in a refusal that mean that the tag can be turned into a card right away. */
const MAKING_STEPS = ["issue", "overwrite-by-demo"];
const MAKING = ["issue", "demo", "replace"];
/** Verbs for a card in the ledger that is on the reader or identified by its number. */
const ON_KNOWN = ["repair", "block", "unblock", "forget"];
const ENDED = ["closed", "replaced"];
/** Verbs for which no card has to be on the reader if the request contains a card number. */
export const WITHOUT_TAP = ["block", "unblock", "forget"];
/** The NTAG 424: a card with this chip cannot be copied and needs no password. */
export const AUTHENTICATING_CHIP = "NTAG424";

/** Whether cards can be made at this till; on an untrusted machine, they cannot. */
export const makesCards = () => state.makesCards;

/** Whether the settings name the address of this service, or the sandbox stands in for it. */
export const usesService = (name) => state.settings?.services?.includes(name) === true;

/** The member that confirms a refused request; null if confirming would not help. */
export function confirmingMember(verb, { next }) {
  if (!MAKING.includes(verb)) return null;
  return next.map(({ step }) => MEMBERS[step]).find(Boolean) ?? null;
}

/** Whether the card on the reader was closed or replaced, so that its tag can be reused. */
export const isEnded = () => !state.card?.problem && ENDED.includes(state.card?.read?.ledger);

/** Whether the tag on the reader is not an active card and can become a card. */
export const canBecomeCard = () => makesCards() && may("issue") && (isEnded()
  || Boolean(state.card?.problem?.next.some(({ step }) => MAKING_STEPS.includes(step))));

/** Whether a request to turn the tag on the reader into a card can succeed. */
function canBeMade() {
  const { problem } = state.card ?? {};
  return !problem || problem.result === "failed"
    || problem.next.some(({ step }) => step in MEMBERS || MAKING_STEPS.includes(step));
}

/** Whether the verb is offered at all. A closed or replaced card can never be unblocked. */
export const isOffered = (verb, hasNumber) => isAllowed(verb)
  && (verb === "unblock" ? hasNumber || !isEnded() : makesCards() || !MAKING.includes(verb));

/** Whether the verb can be used on the tag on the reader or, if there is none, on the next. */
export function isPossible(verb, hasNumber) {
  const { read, problem } = state.card ?? {};
  // The confirmation states the cash to pay out, so a payout needs a known balance.
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

/** Whether the tag on the reader can prove that it is genuine. If so, it needs no password. */
export const provesItself = () => chip() === AUTHENTICATING_CHIP;
