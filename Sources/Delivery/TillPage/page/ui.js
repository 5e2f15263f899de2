// Small components shared by several views.

import { h, icon } from "./dom.js";
import { draft, setDraft } from "./store.js";
import { say } from "./strings.js";
import { today } from "./words.js";

export const heading = (text, lead) => h("header",
  h("h1", { id: "title", tabindex: "-1" }, text), lead && h("p.lead", lead));

/** A button. A button that moves money ignores presses at first: see guard.js. */
export const button = (text, onclick, { tone, sign, hint, money, ...rest } = {}) =>
  h("button", { class: tone, onclick, "data-money": money, ...rest },
    sign && icon(sign), h("span", text), hint && h("small", hint));

export const submit = (text, disabled, tone = "strong", money = false) =>
  button(text, null, { type: "submit", tone, disabled, money });

/** A button that shows only an icon. Its label is for screen readers. */
export const signButton = (sign, label, onclick, rest) =>
  h("button.round", { "aria-label": label, onclick, ...rest }, icon(sign));

export const link = (text, href, { tone = "button", sign } = {}) =>
  h("a", { class: tone, href }, sign && icon(sign), h("span", text));

/** The field that has just received the focus. */
let entered = null;

/** Selects the content of a field, so that typing replaces it. */
const selecting = {
  onfocus: ({ target }) => {
    entered = target;
    target.select();
  },
  // After focusing the field, the press sets the caret and undoes the selection, so select again.
  onclick: ({ target }) => {
    if (entered === target) target.select();
    entered = null;
  },
};

/** A field bound to the draft with the same name, with its hint and error. */
export function field(id, label, { hint, ...rest } = {}) {
  const wrong = draft(`${id}!`);
  const notes = [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(" ");
  return h("div.field",
    h("label", { for: id }, label),
    h("input", {
      id, value: draft(id), autocomplete: "off", spellcheck: "false", maxlength: "60", ...selecting,
      ...rest,
      "aria-describedby": notes || null, "aria-invalid": wrong ? "true" : null,
      oninput: (event) => {
        entered = null;
        setDraft(id, event.target.value);
        setDraft(`${id}!`, null);
      },
    }),
    hint && h("p.hint", { id: `${id}-hint` }, hint),
    wrong && h("p.wrong", { id: `${id}-wrong`, role: "alert" }, icon("warn"), wrong));
}

/** Sets or clears the error of a field; returns whether it has none. */
export function accepts(id, wrong) {
  setDraft(`${id}!`, wrong);
  return !wrong;
}

export const typed = (id) => draft(id).trim();
// The maximum length leaves room for a currency sign and group separators.
export const amountField = (id, label, rest) =>
  field(id, label, { inputmode: "decimal", maxlength: "20", ...rest });
export const passwordField = (id, label) =>
  field(id, label, { type: "password", autocomplete: "current-password", maxlength: "200" });

/** An input for a day up to today. */
export const dayInput = (value, choose, rest) => h("input", {
  type: "date", value, max: today(), onchange: ({ target }) => choose(target.value), ...rest,
});

export const tick = (id, label, hint) => h("div.tick",
  h("input", {
    id, type: "checkbox", checked: draft(id, false),
    "aria-describedby": hint ? `${id}-hint` : null,
    onchange: (event) => setDraft(id, event.target.checked),
  }),
  h("label", { for: id }, label), hint && h("p.hint", { id: `${id}-hint` }, hint));

export const form = (onsubmit, ...children) => h("form", {
  // Fields show their own errors: see accepts().
  novalidate: true, onsubmit: (event) => { event.preventDefault(); onsubmit(); },
}, children);

/** What a refusal means and what to do next, shown below what happened. */
const consequences = ({ meaning, advice }, tone = "p") =>
  [meaning, advice].map((line) => line && h(tone, line));

export const problemBox = (problem, ...actions) =>
  h("section.note", { class: problem.result === "unknown" ? "warn" : "bad" }, icon("warn"),
    h("div", h("strong", problem.title), consequences(problem), actions));

export const note = (text, sign = "info", tone = "") =>
  h("p.note", { class: tone }, icon(sign), h("span", text));

/** The draft that records that the user declined the address; "Try again" clears it. */
export const DECLINED = "address.declined";

/** The loaded content, a note that the content is loading, or the reason why loading failed. */
export function loaded(entry, body, retry) {
  const again = () => {
    setDraft(DECLINED, false);
    retry();
  };
  const problem = entry?.problem && problemBox(entry.problem,
    retry && button(say.again, again, { tone: "small" }));
  if (entry?.value) return [problem, body(entry.value)];
  return problem || h("p.lead", { role: "status" }, say.loading);
}

/** A list of rows, or a sentence if the list is empty. */
export const rows = (items, row, none) => items.length === 0 ? h("p.lead", none)
  : h("ul.rows", items.map(row));

export const table = (heads, lines) => h("table",
  h("thead", h("tr", heads.map((text) => h("th", { scope: "col" }, text)))),
  h("tbody", lines.map(([first, ...rest]) => h("tr", h("th", { scope: "row" }, first),
    rest.map((text) => h("td", text))))));

/** Tabs for views. They are links, because each view has its own address. */
export const tabs = (label, ...items) => h("nav.tabs", { "aria-label": label },
  items.map(([text, href, isHere]) =>
    h("a", { href, "aria-current": isHere ? "page" : null }, text)));

/** A choice of one value. Each value is a button, and the chosen one stays pressed. */
export const choice = (label, items, chosen, choose) => h("div.choice", {
  role: "group", "aria-label": label,
}, items.map(([value, text]) => h("button", {
  key: value, "aria-pressed": String(value === chosen), onclick: () => choose(value),
}, text)));
