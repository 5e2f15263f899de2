// The sale at the till: the typed amount, the lines of the cart, and the armed sale. Only a press
// of Charge charges the card on the reader or arms the sale for the next card. The armed sale
// itself is on the server, so that exactly one page owns it.

import { call } from "./api.js";
import {
  alter, allLines, entry, entryName, isEmpty, isTopUp, otherLine, total, totalUnits, uncovered,
} from "./cart.js";
import { productOf } from "./catalog.js";
import { announce, question, toast } from "./notices.js";
import { change, freshID, isServed, isUsable, payingCard, saleTask, state } from "./store.js";
import { say } from "./strings.js";
import { adopt, begin, dismiss, isOpen, park, pathOf, whenever } from "./tasks.js";
import {
  amountOf, decimals, entryUnits, minorUnits, resolvedPayOut, resolvedWords, shown,
} from "./words.js";

/** How long a typed amount without lines stays. */
const NUMBER_KEPT = 60_000;
const PAID_SHOWN = 5000;
/** With the setting `express`, a single product is armed after this long without a change. */
const EXPRESS_DELAY = 1000;
const MOST_DIGITS = 9;
const MOST_OFFERED = 8;
const words = say.sale;

let [numberTimer, paidTimer, expressTimer] = [null, null, null];
/** The requests about the armed sale, one after another, so that none overtakes another. */
let inTurn = Promise.resolve();
/** The sales that this page has armed, by ID: their requests and lines. */
const offered = new Map();

/**
 * The request for this sale. Its lines are sent, because the ledger keeps them. `restTender` is how
 * the customer pays what the card's balance does not cover.
 */
function saleRequest(restTender) {
  if (state.sale.lines.length === 0 && !restTender) {
    return { verb: "pay", members: { amount: total() } };
  }
  const members = { lines: allLines() };
  if (restTender) members.rest = { tender: restTender, amount: uncovered(restTender) };
  return { verb: "pay", members };
}

/** Whether a payment is under way, so that the sale cannot be changed now. */
export const isBusy = () =>
  Boolean(saleTask()) && isOpen(saleTask().id) && !saleTask().doubt;

// MARK: Changes of the sale

/**
 * Prepares for a change of the sale: sets aside a payment with an unknown outcome, closes any
 * other, makes "Paid" small, and disarms. Returns false if a payment is under way.
 */
export function mayChange() {
  if (isTopUp()) return true;
  if (isBusy()) return false;
  const task = saleTask();
  if (task?.status === "unknown" || task?.doubt) {
    park(task.id);
    clear();
  } else if (task) dismiss(task.id);
  clearTimeout(paidTimer);
  if (state.sale.paid?.isLarge) alter({ paid: { ...state.sale.paid, isLarge: false } });
  disarm();
  return true;
}

/** Disarms the sale, because it was changed or its view was left. */
export function disarm() {
  const { armed, needsCard } = state.sale;
  clearTimeout(expressTimer);
  if (!armed && !needsCard) return;
  alter({ armed: null, needsCard: false, notice: null });
  const query = armed ? `operation=${armed.id}&client=${state.client}` : `client=${state.client}`;
  inTurn = inTurn.then(() => call("DELETE", `armed?${query}`)).catch((problem) => {
    // If the payment has begun, its events say so; if the answer is lost, it may still begin.
    if (problem.error === "lost") askAbout(armed?.id);
    else if (problem.error !== "too-late") toast(problem.detail, "bad");
  });
}

/** Clears a typed amount after a while, so that the next customer does not pay it. */
function keepNumber() {
  clearTimeout(numberTimer);
  numberTimer = setTimeout(() => {
    if (state.sale.lines.length === 0 && !isBusy() && !saleTask()) {
      endTender();
      cancelSale();
    }
    alter({ topUp: "" });
  }, NUMBER_KEPT);
}

/**
 * Changes the sale, and the notice that asks for a product's price. Restarts the timer that clears
 * a typed amount and, with the setting `express`, the one that arms the sale of a single product.
 */
function set(values) {
  const { asked } = { ...state.sale, ...values };
  alter({ notice: asked ? words.typePrice(asked.name) : null, ...values });
  keepNumber();
  const { lines, entry: typed, tender } = state.sale;
  clearTimeout(expressTimer);
  const isSingle = lines.length === 1 && lines[0].quantity === 1 && lines[0].product
    && !typed && !asked;
  if (!state.settings?.express || !isSingle || isTopUp() || tender) return;
  expressTimer = setTimeout(() => { if (!state.card) charge(); }, EXPRESS_DELAY);
}

/** Types a digit, "00", or a separator. */
export function type(key) {
  if (!mayChange()) return;
  if (state.sale.tender && state.sale.tender !== "cash") endTender();
  const before = entry();
  const [, fraction] = before.split(".");
  const isSeparator = key === "." || key === ",";
  if (isSeparator && (decimals() === 0 || fraction !== undefined)) return;
  if (!isSeparator && fraction !== undefined && fraction.length + key.length > decimals()) return;
  const next = isSeparator ? `${before}.` : before + key;
  if (next.replace(".", "").length > MOST_DIGITS) return;
  // Leading zeros mean nothing.
  set({ [entryName()]: next.replace(/^0+(?!\.)/, "") });
}

export function erase() {
  if (!mayChange()) return;
  const { lines, tender } = state.sale;
  if (tender && tender !== "cash") endTender();
  else if (entry()) set({ [entryName()]: entry().slice(0, -1) });
  else if (tender) endTender();
  else if (state.sale.asked) set({ asked: null });
  else if (!isTopUp() && lines.length > 0) changeQuantity(lines.length - 1, -1);
}

/** Adds the typed amount as a line of its own, or as the price of the product that needs one. */
export function addEntry() {
  const { asked, entry: typed, tender } = state.sale;
  const units = entryUnits(typed);
  if (units === 0n || isTopUp() || tender || !mayChange()) return;
  alter({ asked: null, entry: "" });
  if (asked) addPriced(asked, amountOf(units));
  else addLine(otherLine(units));
}

function addLine(line) {
  const { lines } = state.sale;
  const place = lines.findIndex(({ product, price }) =>
    line.product !== null && product === line.product && price === line.price);
  set({
    tender: null, given: "",
    lines: place < 0 ? [...lines, { ...line, quantity: 1 }]
      : lines.map((each, index) =>
        (index === place ? { ...each, quantity: each.quantity + 1 } : each)),
  });
}

/** Adds a product at a price, with its deposit. */
function addPriced({ id, name, deposit }, price) {
  addLine({ product: id, name, price });
  const added = productOf(deposit);
  if (added) addLine({ product: added.id, name: added.name, price: added.price });
}

/** Adds the product whose price was typed after it was asked for. Null if there is none. */
function addAsked() {
  const { asked, entry: typed } = state.sale;
  if (!asked || entryUnits(typed) === 0n) return null;
  addEntry();
  return asked.id;
}

/** Adds a product. If its price is open, the amount typed before or after is its price. */
export function addProduct(product) {
  if (!mayChange() || addAsked() === product.id) return;
  const units = entryUnits(state.sale.entry);
  if (product.price !== null) addPriced(product, product.price);
  else if (units > 0n) {
    alter({ entry: "" });
    addPriced(product, amountOf(units));
  } else {
    set({ asked: product });
    announce(words.typePrice(product.name));
  }
}

/** Adds the product whose price has been typed. If the price is missing, asks for it again. */
export function hasPrice() {
  const { asked } = state.sale;
  if (asked && !addAsked()) announce(words.typePrice(asked.name), true);
  return !state.sale.asked;
}

/** Adds a deposit that the customer brings back, such as a cup. */
export function addReturned({ id, name, price }) {
  if (!mayChange()) return;
  addAsked();
  addLine({ product: id, name, price: amountOf(-minorUnits(price)) });
}

export function changeQuantity(place, by) {
  if (!mayChange()) return;
  set({
    tender: null, given: "",
    lines: state.sale.lines
      .map((line, index) => (index === place ? { ...line, quantity: line.quantity + by } : line))
      .filter(({ quantity }) => quantity > 0),
  });
}

/** Leaves the payment without a card; the cart stays. */
export const endTender = () => alter({ tender: null, given: "", notice: null });

function clear() {
  clearTimeout(numberTimer);
  alter({
    entry: "", lines: [], asked: null, tender: null, given: "", needsCard: false, notice: null,
  });
}

/** Leaves the payment without a card or, if there is none, empties the sale or the top-up. */
export function cancelSale() {
  if (isTopUp()) alter({ topUp: "" });
  else if (state.sale.tender && !saleTask()) endTender();
  else if (mayChange()) clear();
}

// MARK: Charging

/**
 * Charges the card on the reader, or arms the sale for the next card. A card that has just paid is
 * still there for the last sale, so it does not pay this one.
 */
export function charge(isForNext = isServed("pay")) {
  const units = totalUnits();
  if (units === 0n || !isUsable() || isBusy() || state.sale.armed || state.sale.tender) return;
  const task = saleTask();
  if (task?.doubt || !hasPrice()) return;
  const card = payingCard();
  // A credit always names its card.
  if ((!isForNext || units < 0n) && card) {
    if (task) dismiss(task.id);
    chargeCard(card.uid);
  } else if (state.sale.needsCard || units < 0n) {
    alter({ notice: words.nameCard });
    announce(words.nameCard, true);
  } else if (isForNext || state.onReader === null) {
    if (task) dismiss(task.id);
    arm();
  }
}

/** Charges this card, which the page shows with its name, or credits it. */
function chargeCard(card, restTender) {
  const { verb, members } = saleRequest(restTender);
  const about = shown(total().replace("-", ""));
  begin(verb, { ...members, card },
    { about, place: "sale", lines: state.sale.lines, entry: state.sale.entry });
}

/** Charges the whole balance of the card on the reader; the rest is paid with this tender. */
export function chargeWithRest(task, tender) {
  if (!isUsable() || !uncovered(tender)) return;
  dismiss(task.id);
  chargeCard(payingCard().uid, tender);
}

/** Charges the card on the reader once more in the same visit. */
export const chargeAgain = () => {
  disarm();
  change({ again: { ...state.again, pay: true } });
  charge(false);
};

function arm() {
  const id = freshID();
  const { verb, members } = saleRequest();
  const { lines, entry: typed } = state.sale;
  offered.set(id, { verb, members, lines, entry: typed, about: shown(total()) });
  if (offered.size > MOST_OFFERED) offered.delete(offered.keys().next().value);
  alter({ armed: { id, isSet: false }, notice: null });
  inTurn = inTurn.then(async () => {
    // The sale was changed before this request was sent.
    if (state.sale.armed?.id !== id) return;
    try {
      await call("POST", "armed",
        { verb: pathOf(verb, members), ...members, operation: id, client: state.client });
      if (state.sale.armed?.id !== id) return;
      alter({ armed: { id, isSet: true } });
      announce(words.armedSpoken(offered.get(id)?.about ?? ""));
    } catch (problem) {
      if (state.sale.armed?.id !== id) return;
      // If the answer was lost, the sale may be armed.
      disarm();
      refuseToArm(problem);
    }
  });
}

function refuseToArm({ error, detail }) {
  const notice = words.notArmed[error] ?? detail;
  alter({ notice, needsCard: ["card-needed", "confirmation-needed"].includes(error) });
  announce(notice, true);
}

/** Follows what the server says about the armed sale. */
export function followArmed({ operation: id, client, ended, card }) {
  change({ isArmedElsewhere: !ended && client !== state.client });
  if (ended === "paying" && offered.has(id)) pay(id, card);
  if (state.sale.armed?.id === id && ended) {
    const notice = words.ended[ended] ?? null;
    alter({ armed: null, notice });
    if (notice) announce(notice, true);
  } else if (!ended && client !== state.client && state.sale.armed) alter({ armed: null });
}

/** Follows the payment of an armed sale, which the server begins when a card has arrived. */
function pay(id, card) {
  const { verb, members, ...rest } = offered.get(id);
  offered.delete(id);
  alter({ armed: null, notice: null });
  const task = saleTask();
  if (task) dismiss(task.id);
  adopt(id, verb, { ...members, card }, { place: "sale", ...rest });
}

/** Handles a lost connection, or leaving the page. A card may have paid the sale unnoticed. */
export const loseArmed = () => askAbout(state.sale.armed?.id);

function askAbout(id) {
  if (!offered.has(id)) return;
  const { verb, members, ...rest } = offered.get(id);
  offered.delete(id);
  if (state.sale.armed?.id === id) alter({ armed: null });
  adopt(id, verb, members, { place: "sale", ...rest, status: "asking" });
}

/** After a reconnect, nothing that this page armed before stays armed. */
export function endArmed(armed) {
  change({ isArmedElsewhere: Boolean(armed) && armed.client !== state.client });
  if (armed?.client !== state.client) return;
  inTurn = inTurn.then(() =>
    call("DELETE", `armed?operation=${armed.operation}&client=${state.client}`)).catch(() => {});
}

// MARK: Outcomes

/** Clears the sale once it is paid, and shows "Paid". */
function ended(task) {
  if (task.place !== "sale") return;
  const { id, answer, problem, about, verb, status } = task;
  const resolved = (answer ?? problem).resolved?.filter(({ operation }) => operation !== id);
  const due = resolvedPayOut(resolved);
  if (due) question(say.panel.handOut(shown(due)), resolvedWords(resolved), [[null, say.close]]);
  if (status === "done") {
    // After a sale was set aside, the cart is the next customer's.
    if (!task.parked) clear();
    const { name = null } = answer.uid && state.seen?.uid === answer.uid ? state.seen : {};
    clearTimeout(paidTimer);
    paidTimer = setTimeout(shrinkPaid, PAID_SHOWN);
    alter({ paid: { ...answer, verb, about, name, isLarge: isEmpty() } });
    dismiss(task.id);
  } else if (status === "failed" && task.needsCard !== false
    && ["refused", "untrusted"].includes(problem.result)) {
    // If one card could not pay, another may pay only if the request names it.
    alter({ needsCard: true });
  }
}

function shrinkPaid() {
  if (state.sale.paid?.isLarge) alter({ paid: { ...state.sale.paid, isLarge: false } });
}

whenever("pay", ended);

/** Undoes the last payment. */
export function undoPaid() {
  const { operation, about: amount, name, tender } = state.sale.paid;
  const about = [amount, name].filter(Boolean).join(", ");
  alter({ paid: null });
  begin("refund", { payment: operation },
    { about, ...(tender && { kind: "undo", needsCard: false }) });
}

export const forgetPaid = () => {
  clearTimeout(paidTimer);
  alter({ paid: null });
};

/** Puts the lines of a parked sale that did not go through back into the cart. */
export function takeBack({ id, lines = [], entry: typed = "" }) {
  if (!mayChange()) return;
  dismiss(id);
  endTender();
  set({ lines: [...state.sale.lines, ...lines], entry: state.sale.entry || typed });
}
