// Finding operations by customer, amount, day, cashier, or product.

import { load } from "./api.js";
import { h } from "./dom.js";
import { confirmed } from "./notices.js";
import { showReceipt } from "./receipt.js";
import { may } from "./roles.js";
import { change, draft, setDraft, state } from "./store.js";
import { say } from "./strings.js";
import { begin } from "./tasks.js";
import {
  accepts, amountField, button, dayInput, field, form, loaded, rows, submit, typed,
} from "./ui.js";
import { fault, shown, timeWords, today, typedAmount, uidWords } from "./words.js";

const words = say.find;
const PAGE = 20;
const FIELDS = ["text", "amount", "cashier", "product", "from", "to"];
const id = (name) => `find-${name}`;

/** The draft with the values that were searched for, which "Next page" uses again. */
const SOUGHT = "find.sought";

function path(before) {
  return `find?${new URLSearchParams([
    ...draft(SOUGHT, []), ["last", PAGE], ...(before ? [["before", before]] : []),
  ])}`;
}

function search() {
  const values = FIELDS.map((name) =>
    [name, name === "amount" ? typedAmount(id(name)) : typed(id(name))]);
  // The server searches the cards if there is only a text, so a last day is added.
  if (values.every(([name, value]) => name === "text" || !value)) values.push(["to", today()]);
  setDraft(SOUGHT, values.filter(([, value]) => value));
  load("operations", path());
}

function find() {
  const isTyped = FIELDS.some((name) => typed(id(name)));
  const amount = draft(id("amount")).trim();
  if (!accepts(id("text"), isTyped ? null : words.missing)) return;
  if (!accepts(id("amount"), amount ? fault(amount) : null)) return;
  search();
}

/** Empties the form and removes what was found. */
function clear() {
  for (const name of FIELDS) setDraft(id(name), "");
  change({ data: { ...state.data, operations: undefined } });
}

async function undo({ operation, amount, tender }) {
  const about = shown(amount.replace("-", ""));
  const [what, line] = [words.sales[tender], words.undoLine[tender]];
  if (!await confirmed(words.undoAsk(what, about), [line], words.undo, "")) return;
  begin("refund", { payment: operation },
    { about, kind: "undo", needsCard: false, then: () => load("operations", path()) });
}

const found = (each) => {
  const { operation, uid, name, kind, amount, at, cashier, products, tender, undone } = each;
  const what = (kind === "sale" && words.sales[tender]) || (say.verbs[kind]?.[0] ?? kind);
  return h("li.entry", { key: operation },
    h("p.when", h("strong", [what, products].filter(Boolean).join(": ")),
      h("small", timeWords(at)),
      h("small", [name, cashier && say.history.by(cashier), undone && words.undone]
        .filter(Boolean).join(", "))),
    uid && h("a.uid", { href: `#/history/${uid}` }, uidWords(uid)),
    h("p.sum", h("b", shown(amount))),
    button(say.receipt.name, () => showReceipt(operation),
      { tone: "small quiet", "aria-label": say.receipt.of(shown(amount)) }),
    kind === "sale" && !undone && may("refund") && button(words.undo, () => undo(each),
      { tone: "small", disabled: state.link !== "live",
        "aria-label": `${words.undo} ${shown(amount)}` }));
};

const day = (name) => h("div.field", h("label", { for: id(name) }, say.reports[name]),
  dayInput(draft(id(name)), (chosen) => setDraft(id(name), chosen), { id: id(name) }));

/** The part of History in which operations are found. */
export const operationFinder = ({ data: { operations } }) => h("details.part", { key: "find" },
  h("summary", words.title),
  form(find, h("div.form",
    field(id("text"), words.text), amountField(id("amount"), words.amount),
    field(id("product"), words.product), field(id("cashier"), words.cashier),
    h("div.row", day("from"), day("to")),
    h("div.row", submit(say.cards.findAction, false, ""), button(say.sale.clear, clear)))),
  operations && loaded(operations, ({ operations: all, hasMore }) => [
    rows(all, found, words.none),
    hasMore && button(say.cards.more, () => load("operations", path(all.at(-1).operation)),
      { tone: "small" })], find));
