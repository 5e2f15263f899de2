// The simulated reader. It is available in every view if the server simulates a reader.

import { call, load } from "./api.js";
import { h } from "./dom.js";
import { toast } from "./notices.js";
import { AUTHENTICATING_CHIP } from "./offers.js";
import { draft, setDraft } from "./store.js";
import { say } from "./strings.js";
import { button, field, form, rows, signButton, submit, typed } from "./ui.js";
import { uidWords } from "./words.js";

const words = say.simulator;

export const loadTags = () => load("simulator", "simulator");

async function play(path, body) {
  try {
    await call("POST", `simulator/${path}`, body);
  } catch (problem) {
    toast(problem.detail, "bad");
  }
  loadTags();
}

// Without a number, the server puts the last tag back on the reader.
const put = (...tags) => play("put", tags.length > 0 ? { tags } : {});
/** A fault in the syntax of `tapcard sim tear`. */
const tear = (fault) => play("tear", { fault });
const small = (text, onclick, rest) => button(text, onclick, { tone: "small", ...rest });

/**
 * The faults to offer for the tag on the reader. An NTAG 424 has no pages, so its faults differ.
 */
const faultsOf = (tags) => {
  const isNTAG424 = tags.some((tag) => tag.onReader && tag.chip === AUTHENTICATING_CHIP);
  return isNTAG424 ? words.chipFaults : words.faults;
};
const faultButton = ([fault, text]) => small(text, () => tear(fault));

const tagRow = ({ uid, chip, onReader }) => h("li", { key: uid },
  h("span.uid", uidWords(uid)), h("small", chip), onReader ? h("strong", words.on)
    : small(words.put, () => put(uid), { "aria-label": `${words.put} ${uid}` }));

const details = ({ tags, fault }, chips) => h("div.sim-body", { id: "sim-body" },
  h("p", words.lead),
  h("section",
    h("h2", words.tags), rows(tags, tagRow, words.none),
    h("div.row", chips.map((chip) => small(words.fresh(chip), () => put(chip)))),
    h("p.hint", words.unsigned)),
  h("section",
    h("h2", words.tear), fault && small(words.disarm, () => tear(null)),
    h("div.row", Object.entries(faultsOf(tags)).map(faultButton)),
    form(() => tear(typed("fault")), h("div.free",
      field("fault", words.fault, { placeholder: words.example }), submit(words.arm, false, "")))));

export function renderSimulator({ settings, data, card, link }) {
  if (!settings?.simulator || link === "closed" || link === "choosing") return null;
  const isOpen = draft("sim.open", false);
  const value = data.simulator?.value ?? { tags: [], fault: null };
  const isOn = card || value.tags.some((tag) => tag.onReader);
  return h("section.simulator", { "aria-label": words.title },
    h("div.sim-bar",
      h("strong.badge", words.badge),
      h("span.sim-state", value.fault && words.armed(value.fault)),
      // If there are no tags yet, the button makes one.
      isOn ? small(words.take, () => play("take", {}))
        : small(words.put, () => (value.tags.length > 0 ? put() : put(settings.chips[0])),
          { tone: "small strong" }),
      signButton(isOpen ? "down" : "up", words.title, () => {
        setDraft("sim.open", !isOpen);
        loadTags();
      }, { "aria-expanded": String(isOpen), "aria-controls": isOpen ? "sim-body" : null })),
    isOpen && details(value, settings.chips));
}
