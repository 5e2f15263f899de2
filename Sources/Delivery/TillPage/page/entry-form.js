// A list with one form: for a new entry, or in place of the entry that it changes.

import { call } from "./api.js";
import { h } from "./dom.js";
import { announce, toast } from "./notices.js";
import { discardDrafts, draft, setDraft } from "./store.js";
import { say } from "./strings.js";
import { button, form, problemBox, submit } from "./ui.js";

const NEW = "new";

/**
 * The form of a list that `look` loads. `key` is the member with an entry's ID; `fieldsOf` returns
 * the fields' drafts for an entry. If a function gets no entry, it is about a new one.
 */
export function entryForm({ name, key, words, fieldsOf, look }) {
  const [OPEN, PROBLEM, BUSY] = ["open", "problem", "busy"].map((each) => `${name}.${each}`);
  const idOf = (entry) => entry?.[key] ?? NEW;
  const buttonOf = (entry) => (entry ? `${name}-edit-${idOf(entry)}` : `${name}-add`);
  const isOpen = (entry) => draft(OPEN, null) === idOf(entry);
  const isBusy = () => draft(BUSY, false);
  const close = () => discardDrafts(...Object.keys(fieldsOf({})), OPEN, PROBLEM);

  function open(entry) {
    close();
    const drafts = { [OPEN]: idOf(entry), ...fieldsOf(entry ?? {}) };
    for (const [each, value] of Object.entries(drafts)) setDraft(each, value);
  }

  /** Closes the form; the focus goes back to the button that opened it. */
  function closeAndReturn(entry) {
    close();
    // The button is back after the next rendering.
    setTimeout(() => document.getElementById(buttonOf(entry))?.focus());
  }

  /**
   * Makes the calls in order, announces that they are done, and loads the list. Returns the last
   * answer; null if a call failed or others are still running.
   */
  async function send(done, ...calls) {
    if (isBusy()) return null;
    setDraft(BUSY, true);
    setDraft(PROBLEM, null);
    try {
      let answer = null;
      for (const [path, body] of calls) answer = await call("POST", path, body);
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

  const formOf = (entry, onsubmit, ...children) => h(`div.part.${name}-form`, {
    key: idOf(entry), role: "group", "aria-label": entry ? words.change(entry.name) : words.add,
    mount: (node) => node.querySelector("input").focus(),
    onkeydown: (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      closeAndReturn(entry);
    },
  },
  form(onsubmit,
    h("div.form", draft(PROBLEM, null) && problemBox(draft(PROBLEM)), children)));

  /** The form's buttons: the one that sends it, Cancel, and others. */
  const buttons = (entry, action, ...others) => h("div.row", submit(action, isBusy()),
    button(say.cancel, () => closeAndReturn(entry), { tone: "quiet" }), others);

  const addButton = () => h("div.row",
    button(words.add, () => open(), { id: buttonOf(), tone: "strong", sign: "add" }));
  const editButton = (entry) => button(words.edit, () => open(entry),
    { id: buttonOf(entry), tone: "small", "aria-label": words.change(entry.name) });

  return {
    addButton, buttons, close, closeAndReturn, editButton, formOf, isBusy, isOpen, send,
  };
}
