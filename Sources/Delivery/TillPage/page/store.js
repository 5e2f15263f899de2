// The state of the page. Views read it; only change() modifies it.

/** A random UUID, also over plain http, where crypto.randomUUID is missing. */
export function freshID() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  // The bits that mark a random UUID, version 4.
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

export const state = {
  client: freshID(), settings: null, session: null, needsLogin: false, link: "connecting",
  reader: null, card: null, asking: false, route: { name: "home", arg: null },
  tasks: {}, others: {}, ended: 0, data: {}, form: {}, dialog: null, toasts: [],
  // The session of the tag on the reader, read or not; what it has had in this visit according to
  // the server; and what somebody has confirmed that it may have once more.
  lying: null, served: {}, again: {},
  // The card that was read last, wherever it is now.
  seen: null,
  // Whether the ledger is offline, and the offline payments; null if there is nothing to say.
  offlinePayments: null,
  // Counts the tags that came, went or were changed.
  visit: 0,
};

/** The number of the till that the page's address names; null at the root. */
export const HERE = Number(/^\/tills\/([1-9]\d*)(\/|$)/.exec(location.pathname)?.[1]) || null;

/**
 * Whether the page is at a till. Where there are several, its address has to name one; until the
 * settings are known, that is assumed.
 */
export function isAtTill() {
  const { tills = 1 } = state.settings ?? {};
  return HERE === null ? tills === 1 : !state.settings || HERE <= tills;
}

const listeners = [];
let isDue = false;

export const onChange = (listener) => listeners.push(listener);

export function change(values) {
  Object.assign(state, values);
  if (isDue) return;
  isDue = true;
  // Changes of one moment are rendered together.
  queueMicrotask(() => {
    isDue = false;
    for (const listener of listeners) listener(state);
  });
}

/** The input of a view, kept while the view is rendered again. */
export const draft = (name, otherwise = "") => state.form[name] ?? otherwise;
export const setDraft = (name, value) => change({ form: { ...state.form, [name]: value } });

/** Drafts that belong to no customer; all others are dropped with their view at the latest. */
const LASTING = ["sim.open", "fault", "cashier", "password", "login.problem", "game.busy"];

const keepDrafts = (isKept) => change({
  form: Object.fromEntries(Object.entries(state.form)
    // A field has its error in a draft of the same name with an exclamation mark.
    .filter(([name]) => isKept(name.replace(/!$/, "")))),
});

/** Forgets what was typed and chosen for a customer. */
export const forgetDrafts = (...names) => keepDrafts((name) => !names.includes(name));
export const forgetView = () => keepDrafts((name) => LASTING.includes(name));

const taskWith = (name, value) => Object.values(state.tasks).find((task) => task[name] === value);
/** The task that fills the page until its outcome has been seen. */
export const panelTask = () => taskWith("place", "panel");
export const taskOf = (verb) => taskWith("verb", verb);

/** Whether the reader can be used. */
export const isUsable = () => state.link === "live" && state.reader?.state === "ready";

/** The card on the reader, if money may move on it. */
export function trustedCard() {
  const { read, problem } = state.card ?? {};
  return read && !problem && read.seal === "valid" && read.ledger === "known" ? read : null;
}

/** Whether the ledger is offline and payments with the card on the reader are booked later. */
export function acceptsOffline() {
  const { read, problem } = state.card ?? {};
  const { offline, offered } = state.offlinePayments ?? {};
  const isAsItSays = !problem || problem.error === "ledger-offline";
  return Boolean(offline && offered && read?.seal === "valid" && isAsItSays);
}

/** Problems of the ledger or of the keys, which tell nothing about the card. */
export const OF_LEDGER =
  ["ledger-offline", "ledger-unavailable", "ledger-undeclared", "keys-behind"];

/** Whether the card on the reader cannot be judged, because the ledger takes no money now. */
export function isUnjudged() {
  const { read, problem } = state.card ?? {};
  return OF_LEDGER.includes(problem?.error) && (!read || read.seal === "valid");
}

/** Steps of a refusal that leave it in doubt whether the tag is the card. */
const SUSPICIOUS = ["keep-copy", "replace-if-genuine", "replace-if-it-repeats"];

/** Whether the tag itself is the obstacle, so that the same tap would end in the same way. */
export const blamesTag = ({ next }) =>
  next.some(({ step }) => step.startsWith("replace") || step === "keep-copy");

/** Whether the card is genuine, but its tag can no longer be written. */
export const needsOtherTag = ({ next }) => next.some(({ step }) => step === "replace");

/** Whether the tag on the reader must not be taken for a card: a copy, a forgery, an old state. */
export function isGrave() {
  const { read, problem } = state.card ?? {};
  if (!problem || acceptsOffline()) return false;
  return read ? !isUnjudged() : problem.result === "untrusted"
    || problem.next.some(({ step }) => SUSPICIOUS.includes(step));
}

/** Whether no money moves because of the ledger, and not because of the card on the reader. */
export const isWithoutLedger = () =>
  isUnjudged() || (!isBarred() && Boolean(state.offlinePayments?.offline));

/** Whether a payment is booked later, with the card on the reader or with the next one. */
export const isPaidLater = () =>
  acceptsOffline()
  || (!state.card && Boolean(state.offlinePayments?.offline && state.offlinePayments.offered));

/** Whether the card has already had this in its visit, so that one more needs a confirmation. */
export const isServed = (verb) => verb in state.served && !state.again[verb];

/** Notes that somebody has confirmed one more for the card on the reader. */
export const serve = (verb) => change({ again: { ...state.again, [verb]: true } });

/** Whether a tag is on the reader on which no money may move. */
export const isBarred = () => Boolean(state.card) && !trustedCard();
