// The products that the tills sell: their list, their form, and their order. For owners.

import { load } from "./api.js";
import { groups, products } from "./catalog.js";
import { h } from "./dom.js";
import { entryForm } from "./entry-form.js";
import { confirmed } from "./notices.js";
import { draft, setDraft } from "./store.js";
import { say } from "./strings.js";
import {
  accepts, amountField, button, field, heading, loaded, signButton, tick, typed,
} from "./ui.js";
import { fault, shown, typeable, typedAmount } from "./words.js";

const words = say.products;
const COLORS = ["red", "orange", "yellow", "green", "blue", "purple", "gray"];
const NONE = "none";

const look = () => load("products", "products");

const fieldsOf = ({ name, group, price, color, deposit, minimumAge }) => ({
  "product-name": name ?? "", "product-group": group ?? "",
  "product-price": price ? typeable(price) : "", "product-ask": price === null,
  "product-color": color ?? NONE, "product-deposit": deposit ?? NONE,
  "product-age": String(minimumAge ?? ""),
});

const {
  addButton, buttons, close, closeAndReturn, editButton, formOf, isBusy, isOpen, send,
} = entryForm({ name: "product", key: "id", words, fieldsOf, look });

/** Checks the fields; shows each error at its field. */
function acceptsFields(product) {
  const [name, age] = [typed("product-name"), typed("product-age")];
  const isTaken = products().some((each) =>
    each.id !== product?.id && each.name.toLowerCase() === name.toLowerCase());
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

async function save(product) {
  if (!acceptsFields(product)) return;
  const name = typed("product-name");
  const body = {
    ...(product && { product: product.id }), name,
    price: draft("product-ask", false) ? "ask" : typedAmount("product-price"),
    group: typed("product-group") || NONE,
    color: draft("product-color", NONE), deposit: draft("product-deposit", NONE),
    minimumAge: typed("product-age") || NONE,
  };
  if (!product) body.position = positionAfter(body.group);
  const path = product ? "products/change" : "products/add";
  if (await send(words.saved(name), [path, body])) closeAndReturn(product);
}

const positionAfter = (group) => Math.min(9999, 1 + Math.max(-1,
  ...products().filter((each) => (each.group ?? NONE) === group).map(({ position }) => position)));

async function retire({ id, name }) {
  if (!await confirmed(words.retireAsk(name), [words.retireLine], words.retire)) return;
  if (await send(words.retired(name), ["products/retire", { product: id }])) close();
}

const sellOut = ({ id, name, soldOut }) => send(
  soldOut ? words.backOnSale(name) : words.nowSoldOut(name),
  ["products/change", { product: id, soldOut: soldOut ? "no" : "yes" }]);

/**
 * Moves a product up or down in its group. Positions count across all groups, so that the groups
 * keep their order. Only the products whose positions change are sent.
 */
function move(group, place, by) {
  const moved = [...group];
  moved.splice(place + by, 0, ...moved.splice(place, 1));
  const order = [...groups().values()].flatMap((each) =>
    (each.some(({ id }) => id === group[0].id) ? moved : each));
  const calls = order.map(({ id, position }, index) => position !== index
    && ["products/change", { product: id, position: index }]).filter(Boolean);
  return send(words.moved(group[place].name, place + by + 1), ...calls);
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
  const id = product?.id;
  return formOf(product, () => save(product),
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
    buttons(product, words.save, product && button(words.retire, () => retire(product),
      { tone: "quiet bad", disabled: isBusy() })));
}

const facts = ({ price, color, deposit, minimumAge }) => [
  price === null ? words.asked : shown(price), color && words.colors[color],
  deposit && words.with(products().find(({ id }) => id === deposit)?.name ?? ""),
  minimumAge && words.from(minimumAge),
].filter(Boolean).join(", ");

function productRow(product, place, group) {
  const { id, name, soldOut, color } = product;
  if (isOpen(product)) return h("li", { key: id }, productForm(product));
  return h("li.product-row", { key: id, class: `of-${color ?? "plain"}` },
    h("p", h("strong", name), h("small", facts(product))),
    button(words.soldOut, () => sellOut(product),
      { tone: "small", "aria-pressed": String(soldOut), "aria-label": words.soldOutOf(name),
        disabled: isBusy() }),
    signButton("up", words.up(name), () => move(group, place, -1),
      { disabled: isBusy() || place === 0 }),
    signButton("down", words.down(name), () => move(group, place, 1),
      { disabled: isBusy() || place === group.length - 1 }),
    editButton(product));
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
  render: ({ data }) => [
    heading(words.title, words.lead),
    isOpen() ? productForm() : addButton(),
    loaded(data.products, list, look),
  ],
};
