// The state of the reader, the ledger, and the server, and the doctor's findings and remedies.

import { load } from "./api.js";
import { readerProblem, readerWords } from "./tills.js";
import { h, icon } from "./dom.js";
import { toast } from "./notices.js";
import { may } from "./roles.js";
import { state } from "./store.js";
import { say } from "./strings.js";
import { button, heading, link, loaded, note, problemBox, rows } from "./ui.js";
import { timeWords, uidWords } from "./words.js";

const SIGNS = { ok: "check", note: "info", problem: "warn" };
const words = say.health;

function enter() {
  load("doctor", "doctor");
  load("health", "health");
}

async function copy(command) {
  await navigator.clipboard.writeText(command);
  toast(words.copied);
}

// Over plain HTTP, browsers offer the clipboard only on loopback, but the command is visible
// anyway.
export const commandRow = (command) => h("div.command", h("code", command), navigator.clipboard
  && button(words.copy, () => copy(command), { "aria-label": `${words.copy}: ${command}` }));

const finding = ({ severity, what, remedy, commands }) => h("li.finding", { class: severity },
  icon(SIGNS[severity]),
  h("div",
    h("p", h("strong", `${words.severity[severity]}: `), what),
    // The remedy also contains the commands, which get their own rows below.
    (remedy ?? "").split("\n").map((line) => line && !commands.includes(line) && h("p", line)),
    commands.map(commandRow)));

const audit = ({ violations, cards, operations, open, activating = [] }) => [
  violations.length === 0 ? note(words.auditGood(cards, operations), "check", "good")
    : [note(words.auditBad(violations.length), "warn", "bad"),
      violations.map((violation) => note(violation, "warn", "bad"))],
  open > 0 && note(words.auditOpen(open)),
  activating.map((uid) => note(words.activating(uidWords(uid)))),
];

/** A member's name in words, such as "snapshot age" for snapshotAge. */
const nameInWords = (name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const factText = (fact) =>
  (/^\d{4}-\d\d-\d\dT/.test(fact) ? timeWords(fact) : String(fact ?? say.none));

/** All facts that the server reports about itself, unchanged. */
const facts = (value, prefix = "") => Object.entries(value).map(([name, fact]) =>
  (fact && typeof fact === "object" ? facts(fact, `${prefix}${nameInWords(name)} `)
    : [h("dt", prefix + nameInWords(name)), h("dd", factText(fact))]));

/** The reader at each till, if there are several tills. */
const readers = ({ tills }) => (tills.length > 1 || may("tills")) && h("section.part",
  h("div.row.spread", h("h2", words.tills),
    may("tills") && link(say.manageTills.link, "#/manage-tills")),
  tills.length > 1 && tills.map(({ number, name, ...till }) => {
    const text = `${say.tills.one(name ?? number)}. ${readerWords(till)}`;
    return till.reader.state === "ready" ? note(text, "check", "good")
      : till.elsewhere ? note(text) : note(text, "warn", "bad");
  }));

export const health = {
  title: words.title,
  enter,
  render: ({ reader, settings, data }) => [
    heading(words.title),
    h("section.part", h("h2", words.reader), reader && (reader.problem
      ? problemBox(readerProblem(reader))
      : note([say.reader.ready, reader.name].filter(Boolean).join(": "), "check", "good"))),
    data.health?.value && readers(data.health.value),
    h("section.part",
      h("div.row.spread", h("h2", words.findings), button(words.look, enter)),
      loaded(data.doctor, ({ findings }) => rows(findings, finding, words.noFindings))),
    h("section.part", h("h2", words.ledger), h("div.row",
      may("audit") && [button(words.audit, () => load("audit", "audit"),
        { disabled: data.audit?.isLoading }), h("p.hint", words.auditHint)]),
    data.audit && loaded(data.audit, audit)),
    h("section.part", h("h2", words.server), loaded(data.health,
      ({ tills, ...value }) =>
        h("dl", facts({ [words.version]: settings?.version, ...value })))),
  ],
  // The doctor takes a while, so it is run again only if the reader is missing.
  refresh: () => {
    if (state.reader?.state === "missing") enter();
    else load("health", "health");
  },
};
