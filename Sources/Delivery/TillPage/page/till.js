// The till: selling, which is its home, and topping up, which returns to it.

import { load } from "./api.js";
import { cardSide } from "./card-face.js";
import { makeDemo } from "./cards.js";
import { isEmpty, isTopUp, total, totalUnits, uncovered } from "./cart.js";
import { deposits, groups } from "./catalog.js";
import { h, icon } from "./dom.js";
import { announce } from "./notices.js";
import { canBecomeCard, isEnded, usesService } from "./offers.js";
import { spinner } from "./panel.js";
import { showReceipt } from "./receipt.js";
import { loadShift, shiftNote } from "./shift.js";
import { canBeRepeated, doneText, refusalTexts, unknownTexts } from "./refusals.js";
import { may } from "./roles.js";
import {
  addEntry, addProduct, addReturned, cancelSale, changeQuantity, charge, chargeAgain,
  chargeWithRest, disarm, endTender, erase, forgetPaid, takeBack, type, undoPaid,
} from "./sale.js";
import {
  canRun, change, draft, isBarred, isServed, isUsable, isWithoutLedger, parkedTasks,
  saleTask, serve, setDraft, state, trustedCard, willBeBookedLater,
} from "./store.js";
import { say } from "./strings.js";
import { begin, cancel, dismiss, repeatsItself, retry, whenever } from "./tasks.js";
import {
  collecting, isTooLittle, moneyWords, receive, receiveLabel, tenderButtons,
} from "./tender.js";
import { button, choice, heading, link, note, signButton } from "./ui.js";
import {
  amountOf, balanceWords, decimals, entryUnits, minorUnits, resolvedWords, separator, shown,
} from "./words.js";

const words = say.sale;
const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
const CHARGE = "charge";
/** The draft with how a top-up is paid. */
const TENDER = "add.tender";
/** How customers usually pay what a card's balance does not cover. */
const REST_TENDERS = ["cash", "terminal"];

/** Why cards cannot be charged or topped up. */
const noLedger = () => say.home.noLedger[state.card?.problem?.error] ?? say.home.noLedger.other;

const servedWords = (verb) =>
  state.served[verb] === "perhaps" ? say.possiblyServed[verb] : say.served[verb][0];

/**
 * A card that stays on the reader is used only once; using it again needs confirmation. The button
 * for it is above the places where the amounts, the tiles, and the check mark appear.
 */
export const serveAgain = (verb) => isServed(verb) && [
  button(say.served[verb][1], () => serve(verb), { tone: "again", sign: "card", money: true }),
  h("div", { mount: () => announce(servedWords(verb)) },
    note(servedWords(verb), "info", "warn")),
];

// MARK: The amount due

/** Who paid, or how, if no card was used. */
const payer = ({ name, uid, tender }) =>
  (tender ? say.tender.names[tender] : name ?? say.cardWords(uid));

const paidLarge = (paid) => {
  const { verb, about, balance, offline, rest, replayed, resolved, operation, tender } = paid;
  return h("section.due.paid", { key: operation, role: "status", class: "done" },
    h("p.state", icon("check"), doneText({ verb, answer: paid })),
    h("b", about), h("p.who", payer(paid)),
    tender && moneyWords(paid).map((line) => line && h("p.rest", line)),
    balance && h("p.rest", balanceWords({ verb, answer: paid }, balance)),
    [rest && words.restTaken[rest.tender](shown(rest.amount)),
      offline && say.offlinePayments.done, replayed && say.panel.replayed,
      ...resolvedWords(resolved, operation)].map((line) => line && h("p", line)));
};

function amountDue(s) {
  if (s.sale.paid?.isLarge && !isTopUp()) return paidLarge(s.sale.paid);
  const task = !isTopUp() && saleTask();
  return h("section.due", { key: "due" },
    h("div.row.spread", h("h2", isTopUp() ? say.add.lead : words.due),
      !isTopUp() && may("add") && !isBarred() && topUpLink()),
    h("b", { id: "due", "aria-live": "off" }, task ? task.about : shown(total())));
}

const strip = (s, { paid } = s.sale) => paid && !paid.isLarge && h("section.paid-strip", {
  "aria-label": words.last,
},
icon("check"),
h("p", h("strong", paid.about), " ", payer(paid)),
paid.change && minorUnits(paid.change) > 0n
  && h("p", say.tender.change(shown(paid.change))),
!paid.offline && button(words.undo, undoPaid,
  { tone: "quiet", sign: "undo", money: true, disabled: paid.tender ? s.link !== "live"
    : !isUsable() }),
!paid.offline && button(say.receipt.name, () => showReceipt(paid.operation),
  { tone: "quiet", sign: "receipt" }),
signButton("cross", words.hideLast, forgetPaid, { class: "round quiet" }));

// MARK: The cart

const lineRow = ({ name, price, quantity }, place) => h("li", { key: `${place}${name}` },
  h("span.what", price.startsWith("-") ? words.returned(name) : name),
  signButton("dash", words.less(name), () => changeQuantity(place, -1)),
  h("b.count", quantity),
  signButton("add", words.more(name), () => changeQuantity(place, 1)),
  h("b.price", shown(amountOf(minorUnits(price) * BigInt(quantity)))));

const cart = ({ sale }) => sale.lines.length > 0 && h("ul.cart", { "aria-label": words.cart },
  sale.lines.map(lineRow),
  sale.entry && h("li", { key: "entry" }, h("span.what", words.other),
    h("b.price", shown(amountOf(entryUnits(sale.entry))))));

const returns = () => deposits().length > 0 && h("div.group", { key: "returned" },
  h("h2", words.returns),
  h("div.products", deposits().map((product) => h("button.product", {
    key: product.id, class: "of-plain", onmousedown: stay, onclick: () => addReturned(product),
  },
  h("span", product.name), h("small", shown(`-${product.price}`))))));

const goods = (found) => found.size > 0 && h("section.goods", { "aria-label": words.products },
  [...found].map(([group, products]) => h("div.group", { key: group },
    group && h("h2", group),
    h("div.products", products.map((product) => h("button.product", {
      key: product.id, class: `of-${product.color ?? "plain"}`, disabled: product.soldOut,
      onmousedown: stay, onclick: () => addProduct(product),
    },
    h("span", product.name),
    h("small", product.soldOut ? words.soldOut
      : product.price === null ? words.ask : shown(product.price))))))),
  returns());

// A key does not take the focus, so that Enter charges instead of pressing the key again.
const stay = (event) => event.preventDefault();
const key = (name, label, act, rest) => h("button.digit", {
  key: name, "aria-label": label, onmousedown: stay, onclick: act, ...rest,
}, name);

const keypad = (s) => h("section.keypad", { "aria-label": words.keypad },
  KEYS.map((digit) => key(digit, null, () => type(digit))),
  isTopUp()
    ? key(decimals() > 0 ? separator() : "00", null,
      () => type(decimals() > 0 ? separator() : "00"))
    : h("button.digit", { key: "plus", "aria-label": words.addLine, onmousedown: stay,
      onclick: addEntry }, icon("add")),
  key("0", null, () => type("0")),
  h("button.digit", { key: "back", "aria-label": words.erase, onmousedown: stay, onclick: erase },
    icon("erase")));

// MARK: The card, and what happens with it

const armedNow = () => h("section.moment.waiting", { key: "armed", role: "status" },
  h("div.hold", icon("waves")),
  h("p.big", words.tap), h("p", words.armed),
  button(say.cancel, cancelSale, { tone: "quiet", sign: "cross" }));

const working = ({ id, status, phase, isCanceling, needsCard }) => {
  const isWaiting = status === "waiting" && needsCard !== false;
  return h("section.moment", { key: id, class: isWaiting ? "waiting" : "working", role: "status" },
    h("div.hold", isWaiting ? icon("waves") : spinner()),
    h("p.big", isWaiting ? words.tapAgain : status === "asking" ? say.panel.asking
      : say.phases[phase] ?? say.phases.working),
    isWaiting ? button(isCanceling ? say.panel.canceling : say.cancel, () => cancel(id),
      { disabled: isCanceling, tone: "quiet", sign: "cross" })
      : status !== "asking" && needsCard !== false && h("p", say.panel.keep));
};

const told = (tone, { title, lines }, sign, ...actions) => h("section.moment", { class: tone },
  h("h2", icon(sign), title), lines.map((line) => line && h("p", line)),
  h("div.row", actions));

/** Tries a refused payment again, with a new ID. */
function chargeAnew(task) {
  const { id, verb, body, needsCard, about, lines, entry } = task;
  dismiss(id);
  if (needsCard === false) begin(verb, body, { place: "sale", about, lines, entry, needsCard });
  else charge(false);
}

const failed = (task) => told("failed", {
  ...refusalTexts(task),
  lines: [...refusalTexts(task).lines, ...resolvedWords(task.problem.resolved, task.id)],
}, "cross",
  task.problem.error === "insufficient-balance"
    && REST_TENDERS.map((tender) => uncovered(tender)
      && button(words.rest[tender](shown(uncovered(tender))), () => chargeWithRest(task, tender),
        { tone: "strong", disabled: !isUsable(), money: true })),
  canBeRepeated(task) && button(say.again, () => chargeAnew(task), {
    tone: "strong", sign: task.needsCard === false ? null : "waves", money: true,
    disabled: !canRun(task),
  }),
  button(say.back, () => dismiss(task.id), { tone: "quiet" }));

const unknown = (task) => told("unknown", unknownTexts(task, repeatsItself(task)), "ask",
  !repeatsItself(task) && button(say.unknown.again, () => retry(task.id, true), {
    tone: "strong", sign: "waves", money: true, disabled: !canRun(task),
  }),
  button(words.park, cancelSale, { tone: "quiet" }));

function moment(s) {
  if (isTopUp()) return null;
  if (s.sale.armed) return armedNow();
  const task = saleTask();
  if (!task) return s.sale.tender ? collecting(s) : null;
  if (task.status === "failed") return failed(task);
  if (task.doubt) return unknown(task);
  return ["waiting", "working", "asking"].includes(task.status) && working(task);
}

function parkedRow(task) {
  const { id, about, status, voided, needsCard, lines = [] } = task;
  const isNotPaid = voided || status === "failed";
  const isTrying = status !== "unknown" || (needsCard === false && repeatsItself(task));
  return h("li", { key: id }, icon("ask"),
    h("div", h("strong", (isNotPaid ? words.notPaid : words.parked)(about)),
      lines.length > 0 && h("p", lines.map(({ name }) => name).join(", ")),
      h("p", isNotPaid ? words.voided : needsCard === false ? say.unknown.noTap
        : isTrying ? say.unknown.hold : words.parkedHint)),
    isNotPaid ? button(words.takeBack, () => takeBack(task), { tone: "small" })
      : !isTrying && button(say.unknown.again, () => retry(id, true),
        { tone: "small", disabled: !canRun(task) }),
    signButton("cross", words.forget(about),
      () => (isTrying && !isNotPaid && needsCard !== false ? cancel(id) : dismiss(id))));
}

const parked = () => parkedTasks().length > 0
  && h("ul.parked", { "aria-label": words.parkedSales }, parkedTasks().map(parkedRow));

const offer = () => h("section.offer", isEnded() ? [
  h("h2", say.home.offerAgain),
  link(say.home.issueAgain, "#/issue", { tone: "button strong", sign: "add" }),
] : [
  h("h2", say.home.offer),
  h("div.row",
    button(say.home.demo, makeDemo, { tone: "strong", sign: "card" }),
    link(say.home.issue, "#/issue", { sign: "add" })),
  h("p.hint", say.home.demoHint),
]);

/** Links for the card's code, where the activation service is named. */
function codeLinks() {
  const word = trustedCard()?.state;
  if (!usesService("activation")) return null;
  return [
    word === "unscratched"
      && link(say.home.scratch, "#/scratch", { tone: "button small", sign: "scratch" }),
    ["scratched", "activating"].includes(word)
      && link(say.home.activate, "#/activate", { tone: "button small", sign: "send" }),
  ];
}

/** Why this cannot be done with the card on the reader; null if it can. */
function obstacle(s) {
  if (s.sale.tender) return null;
  if (s.reader?.state === "missing") return say.home.noReader;
  if (!isTopUp() && willBeBookedLater()) return null;
  if (isWithoutLedger()) return noLedger();
  return isBarred() ? say.money.notNow : null;
}

const topUpLink = () => (isUsable() && !isWithoutLedger()
  ? link(say.add.title, "#/add", { tone: "button small to-add", sign: "add" })
  : button(say.add.title, null, { tone: "small", sign: "add", disabled: true }));

function side(s) {
  const why = obstacle(s);
  const verb = isTopUp() ? "add" : "pay";
  const { read } = s.card ?? {};
  return h("div.beside", { class: s.sale.paid?.isLarge && !isTopUp() ? "with-paid" : "" },
    moment(s) || cardSide(s, why && s.reader?.state !== "missing" && h("p.hint", why)),
    isServed(verb) && !s.sale.armed && !saleTask() && h("div.again-row", { key: s.onReader },
      // This announcement would replace the one about the payment, so it comes later.
      h("div", { key: String(Boolean(s.sale.paid?.isLarge)),
        mount: () => { if (!s.sale.paid?.isLarge) announce(servedWords(verb)); } },
      note(servedWords(verb), "info", "warn")),
      button(say.served[verb][1], verb === "pay" ? chargeAgain : () => serve("add"),
        { tone: "again small", sign: "card", money: true })),
    s.sale.notice && note(s.sale.notice, "info", "warn"),
    shiftNote(s),
    h("div.row.links", codeLinks(), read && read.ledger !== "unknown"
      && link(say.home.history, `#/history/${read.uid}`, { tone: "quiet", sign: "history" }),
    !isTopUp() && may("products/add")
      && link(say.products.link, "#/products", { tone: "quiet", sign: "tag" }),
    !isTopUp() && may("shift/open")
      && link(say.shift.link, "#/shift", { tone: "quiet", sign: "drawer" })),
    canBecomeCard() && offer());
}

// MARK: The views

const mainButton = (s, text, act) => h("button.strong.charge", {
  // Without a card, a press charges nobody, so the guard accepts it at once: see guard.js.
  id: CHARGE, onclick: act,
  "data-money": isTopUp() || (s.onReader !== null && !s.sale.tender),
  // It is never disabled, because the guard ignores presses soon after `disabled` has changed.
  "aria-disabled": String(totalUnits() === 0n || Boolean(obstacle(s)) || Boolean(s.sale.armed)
    || isTooLittle() || s.link !== "live"),
}, text);

const quickAmounts = ({ settings }) => h("div.quick", (settings?.presets.add ?? []).map((amount) =>
  h("button", { key: amount, onmousedown: stay,
    onclick: () => change({ sale: { ...state.sale, topUp: amount } }) }, shown(amount))));

function topUp() {
  const amount = total();
  if (totalUnits() <= 0n || obstacle(state) || isServed("add")) return;
  const card = trustedCard()?.uid;
  const tender = draft(TENDER, "cash");
  begin("add", { amount, ...(card && { card }), ...(tender !== "cash" && { tender }) },
    { about: shown(amount) });
  change({ sale: { ...state.sale, topUp: "" } });
}

const layout = (s, title, found, action) => [
  h("div.unseen", heading(title)),
  h("div.sell", { class: found.size > 0 ? "with-goods" : "" },
    h("div.ticket-side", !isTopUp() && strip(s), amountDue(s), !isTopUp() && cart(s),
      side(s), parked()),
    goods(found),
    h("div.pad", isTopUp() && quickAmounts(s), keypad(s),
      h("div.acts", button(isTopUp() ? words.toSelling : words.clear,
        isTopUp() ? leaveAdd : cancelSale,
        { tone: "clear", disabled: !isTopUp() && isEmpty() && !s.sale.armed && !saleTask() }),
      action),
    isTopUp() ? choice(say.tender.paidWith, Object.entries(say.tender.names),
      draft(TENDER, "cash"), (value) => setDraft(TENDER, value)) : tenderButtons(s))),
];

/** Handles keys pressed anywhere in the view. */
function onKey(event) {
  const { key: name, target } = event;
  const isOnControl = target.closest("button, a, summary, dialog");
  if (/^\d$/.test(name) || name === "." || name === ",") type(name);
  else if (name === "+") addEntry();
  else if (name === "Backspace") erase();
  else if (name === "Escape") leaveOrClear();
  // A control with the focus handles Enter itself. The press goes through the guard: see guard.js.
  else if (name === "Enter" && !isOnControl && !event.repeat) {
    document.getElementById(CHARGE).click();
  } else return;
  event.preventDefault();
}

function leaveOrClear() {
  if (state.route.name === "add" && isEmpty()) leaveAdd();
  else {
    const task = saleTask();
    if (task?.status === "waiting" && !task.doubt) cancel(task.id);
    else cancelSale();
  }
}

export const home = {
  title: say.home.title,
  enter: () => {
    load("products", "products");
    loadShift();
  },
  leave: () => {
    disarm();
    endTender();
  },
  onKey,
  render: (s) => layout(s, say.home.title, groups(),
    s.sale.tender && !saleTask() ? mainButton(s, receiveLabel(), receive)
      : mainButton(s, totalUnits() < 0n ? words.credit : say.pay.action, () => charge())),
};

export const add = {
  title: say.add.title,
  leave: () => change({ sale: { ...state.sale, topUp: "" } }),
  onKey,
  render: (s) => layout(s, say.add.title, new Map(), mainButton(s, say.add.action, topUp)),
};

/** Returns to selling after a top-up, for the next customer. */
export function leaveAdd() {
  if (state.route.name !== "add") return;
  // The address is replaced, so that the browser's Back button does not return to the finished
  // top-up.
  window.history.replaceState(null, "", "#/home");
  change({ route: { name: "home", arg: null }, sale: { ...state.sale, topUp: "" } });
}

// This happens whatever the outcome, because the next card may be another customer's.
whenever("add", leaveAdd);
