// The state of the page. Views read it; only change() modifies it.

/** A random UUID, even over plain http, where crypto.randomUUID is missing. */
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
  // The role of the cashier, and the calls that they may make: see roles.js.
  rights: null,
  // The name of this page's till, and whether cards can be made there.
  till: null, makesCards: true,
  reader: null, card: null, route: { name: "home", arg: null },
  // The sale: the typed amount, the cart's lines, the armed sale, and the last payment. `asked` is
  // the product whose price is still to be typed; `needsCard`, whether the next payment has to name
  // its card; `tender`, how the sale is paid without a card; `given`, the cash that the customer
  // gave; and `topUp`, the amount typed for a top-up.
  sale: {
    entry: "", topUp: "", lines: [], asked: null, armed: null, needsCard: false, notice: null,
    paid: null,
    tender: null, given: "",
  },
  // Whether the server has said that this page's till does not exist.
  isMissing: false,
  // Whether another page's sale is armed.
  isArmedElsewhere: false,
  tasks: {}, others: {}, ended: 0, data: {}, form: {}, dialog: null, toasts: [],
  // `onReader`: the session of the tag on the reader, even before the tag has been read; `served`:
  // what the server has already done during it; `again`: what the cashier agreed to repeat.
  onReader: null, served: {}, again: {},
  // The last card that was read, even if it is no longer on the reader.
  seen: null,
  // Whether the ledger is offline, and the state of offline payments; null if there is nothing to
  // report.
  offlinePayments: null,
  /** The receipt printer and its problem; null if there is none. */
  printer: null,
  // Counts how often a tag has been placed, removed, or changed.
  visit: 0,
};

/** The number of the till in the page's address; null at the root. */
export const HERE = Number(/^\/tills\/([1-9]\d*)(\/|$)/.exec(location.pathname)?.[1]) || null;

/** Whether the reader of the till with this number is on another machine than the server. */
export const isRemote = (number) => number > 100;

/**
 * Whether the page is at a till. If the server has several tills, the page's address must contain a
 * till's number. Until the server says otherwise, the page assumes that this till exists.
 */
export function isAtTill() {
  const { tills = 1 } = state.settings ?? {};
  return HERE === null ? tills === 1
    : !state.isMissing && (!state.settings || isRemote(HERE) || HERE <= tills);
}

const listeners = [];
let isDue = false;

export const onChange = (listener) => listeners.push(listener);

export function change(values) {
  Object.assign(state, values);
  if (isDue) return;
  isDue = true;
  // Changes made in the same turn are rendered together.
  queueMicrotask(() => {
    isDue = false;
    for (const listener of listeners) listener(state);
  });
}

/** Input in a view. It is stored in the state, so that it is not lost when the view is rendered. */
export const draft = (name, otherwise = "") => state.form[name] ?? otherwise;
export const setDraft = (name, value) => change({ form: { ...state.form, [name]: value } });

/** Drafts that stay when the user leaves their view. All others are dropped. */
const LASTING = ["sim.open", "fault", "cashier", "password", "login.problem", "game.busy"];

const keepDrafts = (isKept) => change({
  form: Object.fromEntries(Object.entries(state.form)
    // A field's error is in a draft with the same name and an exclamation mark.
    .filter(([name]) => isKept(name.replace(/!$/, "")))),
});

/** Drops these drafts, and the errors at their fields. */
export const discardDrafts = (...names) => keepDrafts((name) => !names.includes(name));
export const discardViewDrafts = () => keepDrafts((name) => LASTING.includes(name));

const taskWith = (name, value) => Object.values(state.tasks).find((task) => task[name] === value);
/** The task that fills the page until its panel is closed. */
export const panelTask = () => taskWith("place", "panel");
export const taskOf = (verb) => taskWith("verb", verb);
const saleTasks = () => Object.values(state.tasks).filter(({ place }) => place === "sale");
/** The payment of the sale that the till shows. */
export const saleTask = () => saleTasks().find((task) => !task.parked);
/** Payments with an unknown outcome that were set aside for the next customer. */
export const parkedTasks = () => saleTasks().filter((task) => task.parked);

/** Whether the reader can be used. */
export const isUsable = () => state.link === "live" && state.reader?.state === "ready";

/** Whether a task can be repeated now. One that needs no card needs no reader either. */
export const canRun = ({ needsCard }) =>
  (needsCard === false ? state.link === "live" : isUsable());

/** The card on the reader, if it can be charged and topped up. */
export function trustedCard() {
  const { read, problem } = state.card ?? {};
  return read && !problem && read.seal === "valid" && read.ledger === "known" ? read : null;
}

/** Whether the ledger is offline and payments with the card on the reader will be booked later. */
export function acceptsOffline() {
  const { read, problem } = state.card ?? {};
  const { offline, offered } = state.offlinePayments ?? {};
  const hasNoOtherProblem = !problem || problem.error === "ledger-offline";
  return Boolean(offline && offered && read?.seal === "valid" && hasNoOtherProblem);
}

/** The card on the reader that a payment can charge. */
export const payingCard = () => (acceptsOffline() ? state.card.read : trustedCard());

/** Whether a problem is with the ledger or the keys, and says nothing about the card. */
export const isLedgerProblem = (problem) =>
  problem?.result === "ledger" && problem.error !== "ledger-behind";

/** Whether the card on the reader cannot be checked because the ledger cannot be used now. */
export function cannotBeChecked() {
  const { read, problem } = state.card ?? {};
  return isLedgerProblem(problem) && (!read || read.seal === "valid");
}

/** Steps in a refusal that leave it unclear whether the tag is the original card. */
const SUSPICIOUS = ["keep-copy", "replace-if-genuine", "replace-if-it-repeats"];

/** Whether the tag itself is the problem, in which case another tap would not help. */
export const blamesTag = ({ next }) =>
  next.some(({ step }) => step.startsWith("replace") || step === "keep-copy");

/** Whether the card is genuine but its tag can no longer be written to. */
export const needsOtherTag = ({ next }) => next.some(({ step }) => step === "replace");

/** Whether the tag on the reader must not be accepted: a copy, a forgery, or an old record. */
export function isSerious() {
  const { read, problem } = state.card ?? {};
  if (!problem || acceptsOffline()) return false;
  return read ? !cannotBeChecked() : problem.result === "untrusted"
    || problem.next.some(({ step }) => SUSPICIOUS.includes(step));
}

/** Whether it is the ledger, and not the card on the reader, that prevents money from moving. */
export const isWithoutLedger = () =>
  cannotBeChecked() || (!isBarred() && Boolean(state.offlinePayments?.offline));

/** Whether a payment with the card on the reader, or with the next card, will be booked later. */
export const willBeBookedLater = () =>
  acceptsOffline()
  || (!state.card && Boolean(state.offlinePayments?.offline && state.offlinePayments.offered));

/** Whether this was already done for the card on the reader; repeating it needs confirmation. */
export const isServed = (verb) => verb in state.served && !state.again[verb];

/** Records that the cashier has agreed to repeat this for the card on the reader. */
export const serve = (verb) => change({ again: { ...state.again, [verb]: true } });

/** Whether the tag on the reader cannot be charged or topped up. */
export const isBarred = () => Boolean(state.card) && !trustedCard();
