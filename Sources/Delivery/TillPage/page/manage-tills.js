// The tills whose readers are on other machines: their list, new ones, and their codes. For owners.

import { load } from "./api.js";
import { h, icon } from "./dom.js";
import { entryForm } from "./entry-form.js";
import { commandRow } from "./health.js";
import { confirmed } from "./notices.js";
import { draft, HERE, setDraft } from "./store.js";
import { say } from "./strings.js";
import { lastSeenWords, reloading } from "./tills.js";
import { accepts, button, field, heading, loaded, rows, tick, typed } from "./ui.js";
import { timeWords } from "./words.js";

const words = say.manageTills;
const NAME = "till-name";
const TRUSTED = "till-trusted";
/** The draft with the answer that contains a new code. */
const CODE = "till.code";

function look() {
  load("health", "health");
  return load("enrolled", "tills");
}

const {
  addButton, buttons, close, closeAndReturn, editButton, formOf, isBusy, isOpen, send,
} = entryForm({
  name: "till", key: "number", words, look,
  fieldsOf: ({ name }) => ({ [NAME]: name ?? "", [TRUSTED]: false }),
});

function acceptedName() {
  const name = typed(NAME);
  if (accepts(NAME, name ? null : words.nameMissing)) return name;
  document.getElementById(NAME)?.focus();
  return null;
}

function showCode(answer) {
  if (!answer) return;
  close();
  setDraft(CODE, answer);
}

async function add() {
  const name = acceptedName();
  const body = { name, trusted: draft(TRUSTED, false) };
  if (name) showCode(await send(words.added(name), ["tills/add", body]));
}

const renewCode = async ({ name }) =>
  showCode(await send(words.codeOf(name), ["tills/code", { name }]));

async function rename(till) {
  const wanted = acceptedName();
  const body = { name: till.name, new: wanted };
  if (wanted && await send(words.renamed(wanted), ["tills/rename", body])) closeAndReturn(till);
}

async function remove({ name, number }) {
  const lines = [words.removeLine, number === HERE && words.removeHere];
  if (!await confirmed(words.removeAsk(name), lines, words.remove)) return;
  if (await send(words.removed(name), ["tills/remove", { name }])) close();
}

const confirm = ({ name }) => send(words.confirmed(name), ["tills/confirm", { name }]);

// MARK: The view

/** What to run on the till's machine. */
const commandFor = (code, { serverAddress }) =>
  `tapcard reader --server ${serverAddress ?? location.origin} --code ${code}`;

const codePart = ({ name, code }, settings) => h("section.part", { key: "code" },
  h("h2", words.codeOf(name)), h("p", words.run), commandRow(commandFor(code, settings)),
  h("p.hint", words.valid), settings.serverAddress && h("p.hint", words.servers),
  h("div.row", button(words.done, () => setDraft(CODE, null))));

const tillForm = (till) => formOf(till, () => (till ? rename(till) : add()),
  field(NAME, words.name, { maxlength: "40" }),
  !till && tick(TRUSTED, words.trust, words.trustHint),
  buttons(till, till ? words.rename : words.add),
  till && h("div.row",
    button(words.newCode, () => renewCode(till), { disabled: isBusy() }),
    button(words.remove, () => remove(till), { tone: "quiet bad", disabled: isBusy() })));

/** Whether the machine is connected, and when it was last seen. */
function stateWords({ suspended, connected, server }, { reader, elsewhere } = {}) {
  if (suspended) return [words.suspended];
  if (!connected) return [words.never];
  if (reader?.line?.attached) return [words.attached, lastSeenWords(reader.line)];
  if (elsewhere) return [words.elsewhere(server)];
  return [words.away, lastSeenWords({ lastSeen: reader?.line?.lastSeen ?? connected })];
}

const facts = ({ connected, ...machine }) => connected
  && words.machine({ ...machine, when: timeWords(connected) });

function tillRow(till, live) {
  const { number, name, path, suspended, trusted } = till;
  if (isOpen(till)) return h("li", { key: number }, tillForm(till));
  const isAttached = live?.reader.line?.attached && !suspended;
  return h("li.till-row", {
    key: number, class: suspended ? "suspended" : isAttached ? "attached" : "",
  },
  icon(isAttached ? "check" : "warn"),
  h("p", h("strong", name),
    h("span", stateWords(till, live).filter(Boolean).join(" ")),
    h("small", h("a", { href: path }, path), trusted && ` ${words.trusted}`),
    h("small", facts(till))),
  suspended && button(words.confirm, () => confirm(till),
    { tone: "small strong", "aria-label": words.confirmOf(name), disabled: isBusy() }),
  editButton(till));
}

export const manageTills = {
  title: words.title,
  ...reloading(look),
  render({ data, settings }) {
    const live = new Map((data.health?.value?.tills ?? []).map((each) => [each.number, each]));
    return [
      heading(words.title, words.lead),
      draft(CODE, null) && codePart(draft(CODE), settings),
      isOpen() ? tillForm() : addButton(),
      loaded(data.enrolled, (list) =>
        rows(list.tills, (till) => tillRow(till, live.get(till.number)), words.none), look),
    ];
  },
};
