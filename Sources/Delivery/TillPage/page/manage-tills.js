// The tills whose readers are on other machines: their list, new ones, and their codes. For owners.

import { call, load } from "./api.js";
import { h, icon } from "./dom.js";
import { commandRow } from "./health.js";
import { announce, confirmed, toast } from "./notices.js";
import { discardDrafts, draft, HERE, setDraft } from "./store.js";
import { say } from "./strings.js";
import { lastSeenWords, RELOAD_INTERVAL } from "./tills.js";
import {
  accepts, button, field, form, heading, loaded, problemBox, rows, submit, tick, typed,
} from "./ui.js";
import { timeWords } from "./words.js";

const words = say.manageTills;
const NAME = "till-name";
const TRUSTED = "till-trusted";
/** The draft with the number of the till that the form changes, or NEW. */
const OPEN = "till.open";
const PROBLEM = "till.problem";
const BUSY = "till.busy";
/** The draft with the answer that contains a new code. */
const CODE = "till.code";
const NEW = "new";
let timer = null;

function look() {
  load("health", "health");
  return load("enrolled", "tills");
}

function enter() {
  look();
  clearInterval(timer);
  // No event reports that a machine has connected.
  timer = setInterval(look, RELOAD_INTERVAL);
}

function close() {
  discardDrafts(NAME, `${NAME}!`, TRUSTED, OPEN, PROBLEM);
}

function open(till) {
  close();
  setDraft(OPEN, till?.number ?? NEW);
  setDraft(NAME, till?.name ?? "");
}

/** Makes a call, then shows the list as it is now. Returns the answer; null if there is none. */
async function send(verb, body, done) {
  if (draft(BUSY, false)) return null;
  setDraft(BUSY, true);
  setDraft(PROBLEM, null);
  try {
    const answer = await call("POST", `tills/${verb}`, body);
    announce(done);
    return answer;
  } catch (problem) {
    if (draft(OPEN, null)) setDraft(PROBLEM, problem);
    else toast(problem.detail, "bad");
    return null;
  } finally {
    await look();
    setDraft(BUSY, false);
  }
}

/** Closes the form; the focus goes back to the button that opened it. */
function closeAndReturn(number) {
  close();
  // The button is back after the next rendering.
  setTimeout(() =>
    document.getElementById(number === NEW ? "till-add" : `till-edit-${number}`)?.focus());
}

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
  if (name) showCode(await send("add", body, words.added(name)));
}

const renewCode = async ({ name }) => showCode(await send("code", { name }, words.codeOf(name)));

async function rename({ name, number }) {
  const wanted = acceptedName();
  if (wanted && await send("rename", { name, new: wanted }, words.renamed(wanted))) {
    closeAndReturn(number);
  }
}

async function remove({ name, number }) {
  const lines = [words.removeLine, number === HERE && words.removeHere];
  if (!await confirmed(words.removeAsk(name), lines, words.remove)) return;
  if (await send("remove", { name }, words.removed(name))) close();
}

const confirm = ({ name }) => send("confirm", { name }, words.confirmed(name));

// MARK: The view

/** What to run on the till's machine. */
const commandFor = (code, { serverAddress }) =>
  `tapcard reader --server ${serverAddress ?? location.origin} --code ${code}`;

const codePart = ({ name, code }, settings) => h("section.part", { key: "code" },
  h("h2", words.codeOf(name)), h("p", words.run), commandRow(commandFor(code, settings)),
  h("p.hint", words.valid), settings.serverAddress && h("p.hint", words.servers),
  h("div.row", button(words.done, () => setDraft(CODE, null))));

const tillForm = (till) => h("div.part.till-form", {
  key: "form", role: "group", "aria-label": till ? words.change(till.name) : words.add,
  mount: (node) => node.querySelector("input").focus(),
  onkeydown: (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    closeAndReturn(till?.number ?? NEW);
  },
},
form(() => (till ? rename(till) : add()), h("div.form",
  draft(PROBLEM, null) && problemBox(draft(PROBLEM)),
  field(NAME, words.name, { maxlength: "40" }),
  !till && tick(TRUSTED, words.trust, words.trustHint),
  h("div.row", submit(till ? words.rename : words.add, draft(BUSY, false)),
    button(say.cancel, () => closeAndReturn(till?.number ?? NEW), { tone: "quiet" })),
  till && h("div.row",
    button(words.newCode, () => renewCode(till), { disabled: draft(BUSY, false) }),
    button(words.remove, () => remove(till),
      { tone: "quiet bad", disabled: draft(BUSY, false) })))));

/** Whether the machine is connected, and when it was last seen. */
function stateWords({ suspended, connected, server }, { reader, elsewhere } = {}) {
  if (suspended) return [words.suspended];
  if (!connected) return [words.never];
  if (reader?.line?.attached) return [words.attached, lastSeenWords(reader.line)];
  if (elsewhere) return [words.elsewhere(server)];
  return [words.away,
    lastSeenWords({ lastSeen: reader?.line?.lastSeen ?? connected })];
}

const facts = ({ connected, ...machine }) => connected
  && words.machine({ ...machine, when: timeWords(connected) });

function tillRow(till, live) {
  const { number, name, path, suspended, trusted } = till;
  if (draft(OPEN, null) === number) return h("li", { key: number }, tillForm(till));
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
    { tone: "small strong", "aria-label": words.confirmOf(name), disabled: draft(BUSY, false) }),
  button(words.edit, () => open(till),
    { id: `till-edit-${number}`, tone: "small", "aria-label": words.change(name) }));
}

export const manageTills = {
  title: words.title,
  enter,
  leave: () => clearInterval(timer),
  render({ data, settings }) {
    const live = new Map((data.health?.value?.tills ?? []).map((each) => [each.number, each]));
    return [
      heading(words.title, words.lead),
      draft(CODE, null) && codePart(draft(CODE), settings),
      draft(OPEN, null) === NEW ? tillForm()
        : h("div.row", button(words.add, () => open(),
          { id: "till-add", tone: "strong", sign: "add" })),
      loaded(data.enrolled, (list) =>
        rows(list.tills, (till) => tillRow(till, live.get(till.number)), words.none), look),
    ];
  },
};
