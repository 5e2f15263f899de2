// The history of one card or of all cards, the day's totals, and refunds.

import { load } from "./api.js";
import { h } from "./dom.js";
import { operationFinder } from "./find.js";
import { confirmed } from "./notices.js";
import { showReceipt } from "./receipt.js";
import { may, mayRefund, seesAllHistory } from "./roles.js";
import { draft, isUsable, setDraft, state, trustedCard } from "./store.js";
import { say } from "./strings.js";
import { begin } from "./tasks.js";
import {
  accepts, amountField, button, choice, dayInput, heading, link, loaded, rows, signButton, table,
} from "./ui.js";
import {
  dayAfter, fault, minorUnits, shown, timeWords, today, typeable, typedAmount, uidWords,
} from "./words.js";

const PAGE = 20;
/** The most operations that the server lists at once. */
const MAXIMUM = 1000;
const words = say.history;
const chosenDay = () => draft("takings.day", today());
const loadTakings = () => may("takings") && load("takings", `takings?day=${chosenDay()}`);

const count = () => draft("history.count", PAGE);

function enter(uid) {
  load("history", `history?last=${count()}${uid ? `&card=${encodeURIComponent(uid)}` : ""}`);
  loadTakings();
}

function showMore() {
  setDraft("history.count", Math.min(count() + PAGE, MAXIMUM));
  enter(state.route.arg);
}

function showDay(day) {
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || day > today()) return;
  setDraft("takings.day", day);
  loadTakings();
}

const sums = ({ paid, payments, added, topUps, paidOut, payouts, withoutCard }) => [
  added === null ? words.paidOnly(shown(paid), payments)
    : words.sums(shown(paid), payments, shown(added), topUps),
  withoutCard !== null && isNonzero(withoutCard) && words.withoutCard(shown(withoutCard)),
  payouts > 0 && paidOut !== null && words.payouts(shown(paidOut), payouts),
].filter(Boolean).join(", ");

/**
 * How much more or less cash the drawer holds than at the start of the day. While a shift is open,
 * its cash must not be known before it is counted.
 */
const drawerLine = ({ drawer }) => h("p.drawer", drawer === null ? words.blind
  : words.drawer(drawer.startsWith("-") ? shown(drawer) : `+${shown(drawer)}`));

/** Whether a sum is not 0. It is negative if more was returned than taken. */
const isNonzero = (sum) => minorUnits(sum) !== 0n;
const isBusy = ({ paid, added }) => isNonzero(paid) || isNonzero(added);

/** The totals for the day as bars, and as a table for screen readers. */
function chart({ hours: told, ...day }) {
  const hours = told.map((each) => ({ ...each, added: each.added ?? "0" }));
  const largest = hours.flatMap(({ paid, added }) => [minorUnits(paid), minorUnits(added)])
    .reduce((one, other) => (one > other ? one : other), 0n);
  const inAll = sums(day);
  const isQuiet = !hours.some(isBusy) && (day.drawer === null || !isNonzero(day.drawer))
    && (day.withoutCard === null || !isNonzero(day.withoutCard))
    && day.payments + day.topUps + day.payouts === 0;
  if (isQuiet) return h("p.lead", words.quiet);
  // Without anything above 0, there would be no bars.
  if (largest === 0n) return [h("p.lead", inAll), drawerLine(day)];
  // The chart has fewer units on a narrow screen, so that the labels remain readable.
  const width = innerWidth < 700 ? 360 : 1000;
  const slot = width / 24;
  const breadth = slot * 0.37;
  const [paid, added] = [shown(day.paid), shown(day.added ?? "0")];
  const bar = (amount, x, kind) => {
    // Rounding is harmless, because a thousandth of the tallest bar is less than a pixel.
    const height = Math.max(Number((minorUnits(amount) * 1000n) / largest) * 0.17, 0);
    return h("rect", { class: kind, x, width: breadth, rx: 2, height, y: 178 - height });
  };
  return [drawerLine(day), h("figure.chart",
    h("svg", { viewBox: `0 0 ${width} 200`, role: "img", "aria-label": words.chart(paid, added) },
      h("path", { d: `M0 178h${width}` }),
      hours.map((each) => h("g",
        bar(each.paid, each.hour * slot + slot * 0.1, "paid"),
        bar(each.added, each.hour * slot + slot * 0.53, "added"),
        each.hour % 3 === 0 && h("text", { x: each.hour * slot + slot / 2, y: 196 }, each.hour)))),
    h("figcaption", h("span.key.paid", words.paid), h("span.key.added", words.added),
      inAll),
    h("details", h("summary", words.table),
      h("div.wide", { tabindex: "0", role: "region", "aria-label": words.takings },
        table([words.hour, words.paid, words.added],
          hours.filter(isBusy)
            .map((each) => [`${each.hour}:00`, shown(each.paid),
              shown(day.added === null ? null : each.added)])))))];
}

async function refund({ operation, uid, amount, kind, tender = "cash" }) {
  const { title, lines, action } = words.back[kind];
  const whole = amount.replace("-", "");
  const chosen = typedAmount("refund") || whole;
  if (!accepts("refund", draft("refund").trim() && fault(draft("refund")))) return;
  const { uid: here, name } = trustedCard() ?? {};
  const told = lines(words.whose(uidWords(uid), here === uid && name), shown(chosen));
  if (kind === "add" && tender !== "cash") told.splice(1, 1, say.find.undoLine[tender]);
  if (!await confirmed(title(shown(chosen)), told, action, "")) return;
  setDraft("refund.open", null);
  const isPart = minorUnits(chosen) !== minorUnits(whole);
  begin("refund", { payment: operation, ...(isPart && { amount: chosen }) },
    { about: shown(chosen), kind: kind === "add" ? "reverse" : "refund", paidBy: tender });
}

function openRefund(operation) {
  setDraft("refund", "");
  setDraft("refund.open", operation);
}

function refundPart(entry, refunded) {
  const { operation, kind, state: outcome, amount } = entry;
  const way = words.back[kind];
  if (!way || outcome !== "committed" || !mayRefund(entry)) return null;
  if (refunded.has(operation)) return h("small", way.done);
  if (draft("refund.open", null) !== operation) {
    return button(way.name, () => openRefund(operation),
      { tone: "small", "aria-label": `${way.name} ${shown(amount)}` });
  }
  return h("div.free",
    amountField("refund", words.refundAmount, { placeholder: typeable(amount.replace("-", "")) }),
    button(way.action, () => refund(entry), { tone: "strong", disabled: !isUsable() }));
}

const entry = ({ operation, uid, name, at }, what, hint, ...more) => h("li.entry",
  { key: operation },
  h("p.when", h("strong", what), h("small", timeWords(at)), name && h("small", name),
    hint && h("small", hint)),
  h("a.uid", { href: `#/history/${uid}` }, uidWords(uid)), more);

/** The cash paid out in an entry, such as the balance of an account that a new card closed. */
function paidOutText({ closed, paidOut }) {
  const due = closed ?? paidOut;
  return due && isNonzero(due) && words.handedOut(shown(due));
}

const moved = (each, refunded) => entry(each,
  [say.verbs[each.kind]?.[0] ?? each.kind, paidOutText(each)].filter(Boolean).join(". "),
  [words.states[each.state], each.cashier && words.by(each.cashier),
    each.supervisor && words.approvedBy(each.supervisor)].filter(Boolean).join(", "),
  h("p.sum", { class: each.state },
    h("b", each.amount && isNonzero(each.amount) && shown(each.amount)),
    each.balance && h("small", words.balance(shown(each.balance)))),
  refundPart(each, refunded),
  each.amount && isNonzero(each.amount) && button(say.receipt.name,
    () => showReceipt(each.operation),
    { tone: "small quiet", "aria-label": say.receipt.of(shown(each.amount)) }));

function entries({ entries: all, activations }) {
  const refunded = new Set(all.filter(({ state: outcome }) => outcome !== "voided")
    .map(({ reverses }) => reverses));
  // The server's order is kept, because times are whole seconds and a clock may have been set back.
  // Records that were only resealed are left out, because nobody requested that.
  const newest = all.filter(({ kind }) => kind !== "reseal").reverse();
  return [
    h("h2", words.entries),
    rows(newest, (each) => moved(each, refunded), words.none),
    all.length === count() && count() < MAXIMUM
      && button(words.more, showMore, { tone: "small" }),
    activations?.length > 0 && [h("h2", words.activations),
      rows(activations, (each) => entry(each, words.activation(each.state, each.version)))],
  ];
}

const dayRow = (day) => h("div.row",
  signButton("previous", words.before, () => showDay(dayAfter(day, -1))),
  dayInput(day, showDay, { "aria-label": words.day }),
  signButton("next", words.after, () => showDay(dayAfter(day, 1)), { disabled: day >= today() }));

export const history = {
  title: words.title,
  enter,
  render({ route: { arg }, data, card }) {
    const uid = arg ?? card?.read?.uid;
    const look = () => enter(arg);
    const { takings, history: done } = data;
    // If both requests fail for the same reason, the reason is shown only once.
    const isTold = !arg && !done?.value && done?.problem
      && done.problem.error === takings?.problem?.error;
    return [
      heading(words.title, arg && say.cardWords(uidWords(arg))),
      uid && seesAllHistory() && choice(words.which, [[null, words.all], [uid, words.card]], arg,
        (chosen) => { location.hash = `#/history/${chosen ?? ""}`; }),
      !arg && may("takings") && h("section.part",
        h("div.row.spread", h("h2", words.takings), dayRow(chosenDay())),
        loaded(takings, chart, look),
        may("reports/{report}") && link(say.reports.title, "#/reports")),
      !arg && may("find") && operationFinder({ data }),
      !isTold && h("section.part", loaded(done, entries, look)),
    ];
  },
  /** Reloads after an operation here or at another till. */
  refresh: () => enter(state.route.arg),
};
