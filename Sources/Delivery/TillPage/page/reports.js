// Reports for owners, as a table and as a CSV file.

import { API, load } from "./api.js";
import { h } from "./dom.js";
import { draft, setDraft } from "./store.js";
import { say } from "./strings.js";
import { choice, dayInput, heading, loaded } from "./ui.js";
import { dayAfter, minorUnits, shown, timeWords, today } from "./words.js";

const words = say.reports;
const name = () => draft("reports.name", "days");
const from = () => draft("reports.from", today());
const to = () => draft("reports.to", today());

/** The periods that are offered, each with its first and its last day. */
function spans() {
  const now = today();
  // Weeks begin on Monday.
  const weekday = (new Date(`${now}T12:00:00Z`).getUTCDay() + 6) % 7;
  const before = dayAfter(now, -1);
  return {
    today: [now, now], yesterday: [before, before], week: [dayAfter(now, -weekday), now],
    month: [`${now.slice(0, 8)}01`, now], all: ["", ""],
  };
}

function query(more = {}) {
  // Balances are always those of now.
  const days = name() === "outstanding" ? {} : { from: from(), to: to() };
  const given = Object.entries({ ...days, ...more }).filter(([, value]) => value);
  return `reports/${name()}${given.length ? "?" : ""}${new URLSearchParams(given)}`;
}

const look = () => load("report", query());

function set(values) {
  for (const [key, value] of Object.entries(values)) setDraft(`reports.${key}`, value);
  look();
}

const isText = (key) => words.texts.includes(key);
const isZero = (value) => (typeof value === "string" ? minorUnits(value) === 0n : value === 0);

function cell(key, value) {
  if (value === null || value === undefined) return "\u2013";
  if (key === "opened") return timeWords(value);
  if (isText(key)) return words.values[value] ?? say.verbs[value]?.[0] ?? value;
  return typeof value === "string" ? shown(value) : value;
}

const row = (keys, values, first) => h("tr", keys.map((key, index) => (index === 0
  ? h("th", { scope: "row" }, first ?? cell(key, values[key]))
  : h("td", { class: isText(key) ? null : "number" },
    first && (isText(key) || key === "quantity") ? "" : cell(key, values[key])))));

function body(report) {
  const { rows, sum, equation } = report;
  // Columns without any text or with nothing but zeros are left out, and so are the shifts' IDs.
  const keys = Object.keys(rows[0] ?? {}).filter((key, index) => index === 0 || key !== "shift"
    && rows.some((each) => (isText(key) ? each[key] !== null : !isZero(each[key]))));
  return [
    rows.length === 0 ? h("p.lead", words.none)
      : h("div.wide", { tabindex: "0", role: "region", "aria-label": words.names[report.report] },
        h("table.report",
          h("thead", h("tr", keys.map((key) => h("th",
            { scope: "col", class: isText(key) ? null : "number" }, words.columns[key] ?? key)))),
          h("tbody", rows.map((each) => row(keys, each))),
          h("tfoot", row(keys, sum, words.sum)))),
    equation && h("table.report", h("tbody", Object.entries(equation).map(([term, amount]) =>
      h("tr", h("th", { scope: "row" }, words.equation[term]), h("td.number", shown(amount)))))),
    report.leavesOutOpenShift && h("p.hint", words.openShift),
    h("p.hint", report.notice),
  ];
}

const dayField = (key, value) => h("div.field", h("label", { for: `reports-${key}` }, words[key]),
  dayInput(value, (day) => set({ [key]: day }), { id: `reports-${key}` }));

export const reports = {
  title: words.title,
  enter: look,
  render({ data }) {
    const all = spans();
    const chosen = Object.keys(all).find((each) =>
      all[each][0] === from() && all[each][1] === to());
    const isSpanned = name() !== "outstanding";
    return [
      heading(words.title),
      h("div.controls",
        choice(words.which, Object.entries(words.names), name(), (value) => set({ name: value })),
        isSpanned && choice(words.period, Object.entries(words.spans), chosen, (value) =>
          set({ from: all[value][0], to: all[value][1] })),
        isSpanned && h("div.row", dayField("from", from()), dayField("to", to()))),
      h("section.part", h("h2", [words.names[name()], isSpanned && words.days(from(), to())]
        .filter(Boolean).join(", ")), loaded(data.report, body, look)),
      h("div.row.controls", h("a.button", { href: API + query({ csv: "true" }), download: "" },
        words.csv)),
    ];
  },
  refresh: look,
};
