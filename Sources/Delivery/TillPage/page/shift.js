// The server's shift: opening it, cash in and out, and closing it, for which the cash is counted
// before the page shows how much was expected.

import { API, call, load } from "./api.js";
import { h, icon } from "./dom.js";
import { announce, confirmed, question } from "./notices.js";
import { may } from "./roles.js";
import { discardDrafts, draft, freshID, setDraft, state } from "./store.js";
import { say } from "./strings.js";
import {
  accepts, amountField, button, choice, field, form, heading, link, loaded, note, problemBox, rows,
  submit, typed,
} from "./ui.js";
import { fault, minorUnits, shown, timeWords, typedAmount } from "./words.js";

const words = say.shift;
const PROBLEM = "shift.problem";
const BUSY = "shift.busy";
/** The draft with the shift that was just closed, and its report. */
const CLOSED = "shift.closed";
/** The draft with the shift that is being closed, until the answer arrives. */
const CLOSING = "shift.closing";
const AMOUNTS = ["shift-float", "shift-amount", "shift-reason", "shift-counted"];
const LISTED = 20;

/** Where the last request without an answer is kept. If it is sent again, it has the same ID. */
const UNANSWERED = "tapcard.drawer";

const shiftNow = () => state.data.shift?.value?.shift ?? null;

export const loadShift = () => may("shift") && load("shift", "shift");

function look() {
  loadShift();
  if (may("shifts")) load("shifts", "shifts");
}

/**
 * Sends a request about the drawer. Returns the answer, or null if the request failed or another
 * one is still running.
 */
async function send(path, body) {
  if (draft(BUSY, false)) return null;
  setDraft(BUSY, true);
  setDraft(PROBLEM, null);
  const text = JSON.stringify([path, body]);
  const before = JSON.parse(sessionStorage.getItem(UNANSWERED));
  const id = before?.text === text ? before.id : freshID();
  sessionStorage.setItem(UNANSWERED, JSON.stringify({ text, id }));
  // A count needs no ID: the same count of the same shift is recorded once.
  const named = path === "shift/close" ? body : { ...body, operation: id };
  try {
    const answer = await call("POST", path, named);
    sessionStorage.removeItem(UNANSWERED);
    discardDrafts(...AMOUNTS);
    return answer;
  } catch (problem) {
    if (!["lost", "unknown"].includes(problem.result)) sessionStorage.removeItem(UNANSWERED);
    setDraft(PROBLEM, problem);
    announce(problem.result === "lost" ? words.lost : problem.detail, true);
    return null;
  } finally {
    setDraft(BUSY, false);
    look();
  }
}

/** The typed amount; null, with an error at the field, if it is not valid. A float may be 0. */
function amountIn(id, mayBeZero) {
  const text = typed(id);
  const isZero = mayBeZero && text !== "" && /^0+(\.0*)?$/.test(typedAmount(id));
  const wrong = text === "" ? words.missing : isZero ? null : fault(draft(id));
  if (accepts(id, wrong)) return isZero ? "0" : typedAmount(id);
  document.getElementById(id)?.focus();
  return null;
}

async function open() {
  const float = amountIn("shift-float", true);
  if (float === null) return;
  const answer = await send("shift/open", { float });
  if (!answer) return;
  setDraft(CLOSED, null);
  announce(words.opened);
}

async function moveCash() {
  const amount = amountIn("shift-amount", false);
  if (amount === null) return;
  if (!accepts("shift-reason", typed("shift-reason") ? null : words.reasonMissing)) return;
  const direction = draft("shift.direction", "in");
  const reason = typed("shift-reason");
  const answer = await send("shift/cash", { direction, amount, reason });
  if (!answer) return;
  const moved = words.moved[direction](shown(amount), reason);
  setDraft("shift.moved", answer.replayed ? `${moved} ${words.replayed}` : moved);
  announce(draft("shift.moved"));
}

/** Saves a count, which closes an open shift. Later counts are recorded beside the first. */
async function count(shift) {
  const counted = amountIn("shift-counted", true);
  if (counted === null) return;
  const isFirst = !shift.closedAt;
  if (isFirst && !await confirmed(words.closeAsk(shown(counted)), [words.closeLine], words.close,
    "")) return;
  // After a lost answer, this page itself may have closed the shift, so a retry is not checked.
  if (isFirst && draft(CLOSING, null)?.id !== shift.id && !await isStillOpen(shift)) return;
  setDraft(CLOSING, shift);
  const answer = await send("shift/close", { shift: shift.id, counted });
  if (!answer) return;
  setDraft(CLOSING, null);
  setDraft("shift.moved", null);
  setDraft("shift.recount", false);
  setDraft(CLOSED, answer);
  announce(differenceWords(answer.shift));
}

/** Whether the shift is still open. If another page has closed it, the count would be a recount. */
async function isStillOpen({ id }) {
  try {
    const { shift } = await call("GET", "shift");
    if (shift?.id === id) return true;
    setDraft(PROBLEM, { title: words.elsewhere });
    announce(words.elsewhere, true);
    look();
  } catch (problem) {
    setDraft(PROBLEM, problem);
  }
  return false;
}

const differenceOf = ({ counts }) => counts.at(-1)?.difference ?? "0";

function differenceWords(shift) {
  const difference = differenceOf(shift);
  const units = minorUnits(difference);
  return units === 0n ? words.exact
    : units > 0n ? words.over(shown(difference)) : words.short(shown(difference.slice(1)));
}

const withCashier = (time, cashier) =>
  [timeWords(time), cashier && say.history.by(cashier)].filter(Boolean).join(" ");

// MARK: The report

const line = (text, amount, style) => h("p", { class: style }, h("span", text),
  amount !== undefined && h("span", shown(amount)));
const isNonzero = (amount) => minorUnits(amount) !== 0n;

const waysOf = (title, sums) => {
  const paid = Object.entries(sums).filter(([, amount]) => isNonzero(amount));
  return paid.length > 0 && [line(title, undefined, "strong"),
    paid.map(([way, amount]) => line(words.ways[way], amount))];
};

function paper({ shift, report, notice }) {
  const { sales, cashiers, topUps, refunds, paidOut, rounding, moves, late } = report;
  return h("div.paper",
    line(words.title, undefined, "strong"),
    line(words.from(withCashier(shift.openedAt, shift.openedBy))),
    line(words.to(withCashier(shift.closedAt, shift.closedBy))),
    waysOf(words.sales, sales),
    cashiers.length > 1 && [line(words.cashiers, undefined, "strong"),
      cashiers.map((each) => line(each.cashier ?? say.none, each.sales))],
    waysOf(words.topUps, topUps), waysOf(words.refunds, refunds),
    line(words.drawer, undefined, "strong"),
    line(words.float, shift.float),
    isNonzero(paidOut) && line(words.paidOut, `-${paidOut}`),
    isNonzero(rounding) && line(words.rounding, rounding),
    moves.map(({ amount, reason, kind }) => line(words.moves[kind](reason), amount)),
    line(words.expected, shift.expected, "strong"),
    shift.counts.map(({ amount, difference, at, cashier }, index) => [
      line(words[index === 0 ? "counted" : "recounted"](withCashier(at, cashier)), amount),
      line(words.difference, difference)]),
    late.length > 0 && [line(words.late, undefined, "strong"),
      late.map(({ kind, amount, time }) =>
        line(`${say.verbs[kind]?.[0] ?? kind}, ${timeWords(time)}`, amount))],
    line(notice, undefined, "centered"));
}

const csv = (shift) => h("a.button", {
  href: `${API}shift?${new URLSearchParams({ shift: shift.id, csv: "true" })}`, download: "",
}, say.reports.csv);

/** Shows the report of a closed shift, which the browser can print. */
async function showReport(id) {
  try {
    const answer = await call("GET", `shift?shift=${id}`);
    await question(words.reportOf, [], [[null, say.close]], "receipt", false, () => [
      paper(answer),
      h("div.row", button(words.print, () => window.print(), { sign: "receipt" }),
        csv(answer.shift))]);
  } catch (problem) {
    setDraft(PROBLEM, problem);
  }
}

// MARK: The view

const counting = (shift, label) => form(() => count(shift), h("div.form",
  amountField("shift-counted", words.countedField, { hint: words.countHint }),
  submit(label, draft(BUSY, false))));

const closedPart = ({ shift }) => h("section.part", { key: shift.id },
  h("h2", words.isClosed),
  h("p.note", { class: isNonzero(differenceOf(shift)) ? "warn" : "good" },
    icon(isNonzero(differenceOf(shift)) ? "warn" : "check"),
    h("span", h("strong", differenceWords(shift)), " ",
      words.both(shown(shift.counts.at(-1).amount), shown(shift.expected)))),
  draft("shift.recount", false) ? h("div", { mount: () => setTimeout(() =>
    document.getElementById("shift-counted")?.focus()) }, counting(shift, words.saveCount),
  button(say.cancel, () => setDraft("shift.recount", false), { tone: "quiet" }))
    : h("div.row",
      button(words.showReport, () => showReport(shift.id), { tone: "strong", sign: "receipt" }),
      csv(shift),
      button(words.recount, () => setDraft("shift.recount", true), { tone: "quiet" })));

const openPart = () => h("section.part", { key: "open" },
  h("h2", words.open), h("p.hint", words.openHint),
  form(open, h("div.form", amountField("shift-float", words.floatField),
    submit(words.open, draft(BUSY, false)))));

const runningPart = (shift) => [
  h("section.part", { key: "cash" },
    h("h2", words.cash), h("p.hint", words.cashHint),
    form(moveCash, h("div.form",
      choice(words.direction, Object.entries(words.directions), draft("shift.direction", "in"),
        (value) => setDraft("shift.direction", value)),
      amountField("shift-amount", words.amount),
      field("shift-reason", words.reason, { maxlength: "40" }),
      submit(words.record, draft(BUSY, false), ""))),
    draft("shift.moved", null) && note(draft("shift.moved"), "check", "good")),
  h("section.part", { key: "close" },
    h("h2", words.close), h("p.hint", words.blind), counting(shift, words.close)),
];

const listed = ({ id, openedAt, openedBy, closedAt, counts, server }) =>
  h("li.entry", { key: id },
    h("p.when", h("strong", timeWords(openedAt)), h("small",
      [openedBy && say.history.by(openedBy),
        closedAt ? words.to(timeWords(closedAt)) : words.isOpen,
        counts.length > 1 && words.countedAgain,
        server > 0 && words.server(server)].filter(Boolean).join(", "))),
    closedAt && h("p.sum", h("b", shown(differenceOf({ counts }))), h("small", words.difference)),
    closedAt && button(words.showReport, () => showReport(id),
      { tone: "small", "aria-label": `${words.showReport}: ${timeWords(openedAt)}` }));

function list({ shifts: all }) {
  const most = draft("shift.listed", LISTED);
  return h("section.part", { key: "list" }, h("h2", words.all),
    rows(all.slice(-most).reverse(), listed, words.none),
    all.length > most && button(say.history.more,
      () => setDraft("shift.listed", most + LISTED), { tone: "small" }));
}

export const shiftView = {
  title: words.title,
  enter: look,
  render: ({ data }) => [
    heading(words.title, shiftNow()
      ? words.since(withCashier(shiftNow().openedAt, shiftNow().openedBy)) : words.lead),
    draft(PROBLEM, null)?.result === "lost" ? note(words.lost, "warn", "warn")
      : draft(PROBLEM, null) && problemBox(draft(PROBLEM)),
    loaded(data.shift, ({ shift }) => [
      !shift && draft(CLOSED, null) && closedPart(draft(CLOSED)),
      shift || draft(CLOSING, null) ? runningPart(shift ?? draft(CLOSING))
        : !draft("shift.recount", false) && openPart(),
    ], look),
    data.shifts?.value && list(data.shifts.value),
  ],
  refresh: loadShift,
};

/** Says at the till that sales need an open shift. */
export const shiftNote = ({ settings, data }) => settings?.shiftRequired
  && data.shift?.value && !data.shift.value.shift
  && h("div.note.warn", { key: "shift" }, icon("info"),
    h("div", h("span", words.needed), " ",
      may("shift/open") && link(words.open, "#/shift", { tone: "" })));
