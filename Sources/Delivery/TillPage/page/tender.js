// A sale that is paid without a card: in cash, at a card terminal, or in another way. The keypad
// types the cash that the customer gave, and the page shows the change.

import { allLines, alter, cashStep, total, totalUnits } from "./cart.js";
import { h, icon } from "./dom.js";
import { announce } from "./notices.js";
import { endTender, hasPrice, isBusy, mayChange } from "./sale.js";
import { saleTask, state } from "./store.js";
import { say } from "./strings.js";
import { begin, dismiss } from "./tasks.js";
import { button } from "./ui.js";
import { amountOf, entryUnits, minorUnits, shown } from "./words.js";

const words = say.tender;

export function startTender(tender) {
  if (!canBePaidBy(tender) || !mayChange() || !hasPrice()) return;
  alter({ tender, given: "", notice: null });
  // With the focus here, Enter books the sale instead of pressing the last button again.
  document.getElementById("charge").focus();
  announce(words.due[tender](shown(amountOf(due()))));
}

/** Only cash can be handed back for returned deposits. */
const canBePaidBy = (tender) => totalUnits() > 0n || (totalUnits() < 0n && tender === "cash");

/** The amount to collect. Cash is rounded as on the server: half a step is rounded away from 0. */
export function due() {
  const units = totalUnits();
  const step = state.sale.tender === "cash" ? cashStep() : 1n;
  const amount = units < 0n ? -units : units;
  const rounded = ((amount * 2n + step) / (step * 2n)) * step;
  return units < 0n ? -rounded : rounded;
}

/** The change to give back for the typed cash; null if none was typed, or if cash is paid out. */
const change = () =>
  (state.sale.given && due() > 0n ? entryUnits(state.sale.given) - due() : null);

/** Books the sale as paid without a card. */
export function receive() {
  const { tender, given, lines, entry } = state.sale;
  if (!tender || state.link !== "live" || isBusy() || saleTask()?.doubt) return;
  if (change() < 0n) {
    const notice = words.tooLittle(shown(amountOf(-change())));
    alter({ notice });
    announce(notice, true);
    return;
  }
  if (saleTask()) dismiss(saleTask().id);
  const cash = change() !== null && { given: amountOf(entryUnits(given)) };
  begin("pay", { lines: allLines(), tender, ...cash }, {
    about: shown(amountOf(due()).replace("-", "")), place: "sale", lines, entry, needsCard: false,
  });
}

/** Buttons for ways to pay other than with a card. */
export const tenderButtons = (s) => h("div.tenders", {
  role: "group", "aria-label": words.title,
}, Object.entries(words.names).map(([tender, name]) => h("button", {
  key: tender, "aria-pressed": String(s.sale.tender === tender),
  disabled: !canBePaidBy(tender) || s.link !== "live",
  onclick: () => startTender(tender),
}, name)));

/** What to collect, and the change to give back. */
export function collecting({ sale: { tender, given } }) {
  const [rest, isPaidOut] = [change(), due() < 0n];
  return h("section.moment.collecting", { key: "tender", role: "status" },
    h("h2", icon("pay"), words.names[tender]),
    h("p.big", (isPaidOut ? words.payOut : words.due[tender])(
      shown(amountOf(due()).replace("-", "")))),
    rest !== null && h("p", words.given(shown(amountOf(entryUnits(given))))),
    due() !== totalUnits() && h("p", words.rounded(shown(total().replace("-", "")))),
    tender === "cash" && !isPaidOut && h("p.big", { key: "change" },
      rest === null ? words.typeGiven
        : rest < 0n ? words.tooLittle(shown(amountOf(-rest)))
          : words.change(shown(amountOf(rest)))),
    button(say.back, endTender, { tone: "quiet" }));
}

/** Whether the cash that was typed does not cover the amount. */
export const isTooLittle = () => state.sale.tender === "cash" && change() < 0n;

/** The label of the button that books the sale. */
export const receiveLabel = () => (due() < 0n ? words.paidOut : words.received);

/** What to do with the money once a sale without a card is booked. */
export function moneyWords({ tender, paid, change: rest, rounding }) {
  const isNegative = paid.startsWith("-");
  return [
    rest && minorUnits(rest) > 0n ? words.change(shown(rest))
      : isNegative ? words.payOut(shown(paid.slice(1))) : words.took[tender](shown(paid)),
    minorUnits(rounding) !== 0n && words.wasRounded,
  ];
}
