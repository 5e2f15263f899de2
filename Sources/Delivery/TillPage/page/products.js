// The products that the tills sell: their list, their form, and their order. For owners.

import { call, load } from "./api.js";
import { groups, products } from "./catalog.js";
import { h } from "./dom.js";
import { announce, confirmed, toast } from "./notices.js";
import { discardDrafts, draft, setDraft } from "./store.js";
import { say } from "./strings.js";
import {
  accepts, amountField, button, field, form, heading, loaded, problemBox, signButton, submit,
  tick, typed,
} from "./ui.js";
import { fault, shown, typeable, typedAmount } from "./words.js";

const words = say.products;
const COLORS = ["red", "orange", "yellow", "green", "blue", "purple", "gray"];
/** The drafts of the form. `OPEN` is the ID of the product that it changes, or NEW. */
const FIELDS = ["name", "group", "price", "ask", "color", "deposit", "age"]
  .map((each) => `product-${each}`);
const OPEN = "product.open";
const PROBLEM = "product.problem";
const BUSY = "product.busy";
const NEW = "new";
const NONE = "none";

const look = () => load("products", "products");

function close() {
  discardDrafts(...FIELDS, ...FIELDS.map((each) => `${each}!`), OPEN, PROBLEM);
}

function open(product) {
  close();
  setDraft(OPEN, product?.id ?? NEW);
  setDraft("product-name", product?.name ?? "");
  setDraft("product-group", product?.group ?? "");
  setDraft("product-price", product?.price ? typeable(product.price) : "");
  setDraft("product-ask", product ? product.price === null : false);
  setDraft("product-color", product?.color ?? NONE);
  setDraft("product-deposit", product?.deposit ?? NONE);
  setDraft("product-age", String(product?.minimumAge ?? ""));
}

/** Makes the calls one after another, then shows the list as it is now. */
async function change(calls, done) {
  if (draft(BUSY, false)) return false;
  setDraft(BUSY, true);
  setDraft(PROBLEM, null);
  try {
    for (const [verb, body] of calls) await call("POST", `products/${verb}`, body);
    announce(done);
    return true;
  } catch (problem) {
    if (draft(OPEN, null)) setDraft(PROBLEM, problem);
    else toast(problem.detail, "bad");
    return false;
  } finally {
    await look();
    setDraft(BUSY, false);
  }
}

/** Whether the fields can be saved. Each error is shown at its field. */
function isAccepted(id) {
  const [name, age] = [typed("product-name"), typed("product-age")];
  const isTaken = products().some((each) =>
    each.id !== id && each.name.toLowerCase() === name.toLowerCase());
  // A product may be free, but fault() does not accept 0.
  const price = !draft("product-ask", false) && typed("product-price") !== "0"
    && fault(draft("product-price"));
  const faults = [
    ["name", !name ? words.nameMissing : isTaken ? words.nameTaken(name) : null],
    ["price", price || null],
    ["age", age && !/^[1-9]\d?$/.test(age) ? words.ageFault : null],
  ];
  const wrong = faults.filter(([each, text]) => !accepts(`product-${each}`, text));
  if (wrong.length > 0) document.getElementById(`product-${wrong[0][0]}`)?.focus();
  return wrong.length === 0;
}

async function save(id) {
  if (!isAccepted(id)) return;
  const isNew = id === NEW;
  const name = typed("product-name");
  const body = {
    ...(isNew ? {} : { product: id }), name,
    price: draft("product-ask", false) ? "ask" : typedAmount("product-price"),
    group: typed("product-group") || NONE,
    color: draft("product-color", NONE), deposit: draft("product-deposit", NONE),
    minimumAge: typed("product-age") || NONE,
  };
  if (isNew) body.position = positionAfter(body.group);
  if (await change([[isNew ? "add" : "change", body]], words.saved(name))) closeAndReturn(id);
}

const positionAfter = (group) => Math.min(9999, 1 + Math.max(-1,
  ...products().filter((each) => (each.group ?? NONE) === group).map(({ position }) => position)));

/** Closes the form; the focus goes back to the button that opened it. */
function closeAndReturn(id) {
  close();
  // The button is back after the next rendering.
  setTimeout(() =>
    document.getElementById(id === NEW ? "product-add" : `product-edit-${id}`)?.focus());
}

async function retire({ id, name }) {
  if (!await confirmed(words.retireAsk(name), [words.retireLine], words.retire)) return;
  if (await change([["retire", { product: id }]], words.retired(name))) close();
}

const sellOut = ({ id, name, soldOut }) => change(
  [["change", { product: id, soldOut: soldOut ? "no" : "yes" }]],
  soldOut ? words.backOnSale(name) : words.nowSoldOut(name));

/**
 * Moves a product up or down in its group. All groups are numbered through, so that none of them
 * changes its place. Only the products whose positions change are sent.
 */
function move(group, place, by) {
  const moved = [...group];
  moved.splice(place + by, 0, ...moved.splice(place, 1));
  const order = [...groups().values()].flatMap((each) =>
    (each.some(({ id }) => id === group[0].id) ? moved : each));
  const calls = order.map(({ id, position }, index) => position !== index
    && ["change", { product: id, position: index }]).filter(Boolean);
  return change(calls, words.moved(group[place].name, place + by + 1));
}

const select = (id, label, options, hint) => h("div.field",
  h("label", { for: id }, label),
  h("select", { id, value: draft(id, NONE), onchange: ({ target }) => setDraft(id, target.value),
    "aria-describedby": hint ? `${id}-hint` : null },
  options.map(([value, text]) => h("option", { key: value, value }, text))),
  hint && h("p.hint", { id: `${id}-hint` }, hint));

/** The products that can be sold as another one's deposit. */
const deposits = (id) => products().filter((each) =>
  each.id !== id && each.price !== null && each.deposit === null);
const isDeposit = (id) => products().some(({ deposit }) => deposit === id);

function productForm(product) {
  const id = product?.id ?? NEW;
  const isBusy = draft(BUSY, false);
  return h("div.part.product-form", {
    key: id, role: "group", "aria-label": product ? words.change(product.name) : words.add,
    mount: (node) => node.querySelector("input").focus(),
    onkeydown: (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      closeAndReturn(id);
    },
  },
  form(() => save(id), h("div.form",
    draft(PROBLEM, null) && problemBox(draft(PROBLEM)),
    field("product-name", words.name, { maxlength: "40" }),
    field("product-group", words.group, { maxlength: "40", list: "product-groups" }),
    h("datalist", { id: "product-groups" }, [...groups().keys()].filter(Boolean)
      .map((group) => h("option", { key: group, value: group }))),
    !draft("product-ask", false) && amountField("product-price", words.price),
    tick("product-ask", words.ask),
    select("product-color", words.color,
      [[NONE, words.noColor], ...COLORS.map((color) => [color, words.colors[color]])]),
    !isDeposit(id) && select("product-deposit", words.deposit,
      [[NONE, words.noDeposit], ...deposits(id).map((each) => [each.id, each.name])],
      words.depositHint),
    field("product-age", words.age, { inputmode: "numeric", maxlength: "2" }),
    h("div.row", submit(words.save, isBusy),
      button(say.cancel, () => closeAndReturn(id), { tone: "quiet" }),
      product && button(words.retire, () => retire(product),
        { tone: "quiet bad", disabled: isBusy })))));
}

const facts = ({ price, color, deposit, minimumAge }) => [
  price === null ? words.asked : shown(price), color && words.colors[color],
  deposit && words.with(products().find(({ id }) => id === deposit)?.name ?? ""),
  minimumAge && words.from(minimumAge),
].filter(Boolean).join(", ");

function productRow(product, place, group) {
  const { id, name, soldOut, color } = product;
  if (draft(OPEN, null) === id) return h("li", { key: id }, productForm(product));
  const isBusy = draft(BUSY, false);
  return h("li.product-row", { key: id, class: `of-${color ?? "plain"}` },
    h("p", h("strong", name), h("small", facts(product))),
    button(words.soldOut, () => sellOut(product),
      { tone: "small", "aria-pressed": String(soldOut), "aria-label": words.soldOutOf(name),
        disabled: isBusy }),
    signButton("up", words.up(name), () => move(group, place, -1),
      { disabled: isBusy || place === 0 }),
    signButton("down", words.down(name), () => move(group, place, 1),
      { disabled: isBusy || place === group.length - 1 }),
    button(words.edit, () => open(product),
      { id: `product-edit-${id}`, tone: "small", "aria-label": words.change(name) }));
}

const list = () => [
  products().length === 0 && h("p.lead", words.none),
  [...groups()].map(([name, group]) => h("section.part", { key: name },
    h("h2", name || words.noGroup),
    h("ul.rows", group.map((product, place) => productRow(product, place, group))))),
];

export const productsView = {
  title: words.title,
  enter: look,
  leave: close,
  render: ({ data }) => [
    heading(words.title, words.lead),
    draft(OPEN, null) === NEW ? productForm()
      : h("div.row", button(words.add, () => open(),
        { id: "product-add", tone: "strong", sign: "add" })),
    loaded(data.products, list, look),
  ],
};
