// Messages next to the view: toasts, live regions, questions, and system notifications.

import { h } from "./dom.js";
import { change, freshID, state } from "./store.js";
import { say } from "./strings.js";
import { button, signButton } from "./ui.js";

const TOAST_DURATION = 7000;

const due = { polite: [], urgent: [] };

/** Announces messages. Simultaneous ones are joined; otherwise, only the last would be heard. */
export function announce(text, isUrgent) {
  const name = isUrgent ? "urgent" : "polite";
  const region = document.getElementById(name);
  if (due[name].includes(text)) return;
  // The region is cleared first, so that a repeated message is announced again.
  region.textContent = "";
  if (due[name].push(text) > 1) return;
  requestAnimationFrame(() => { region.textContent = due[name].splice(0).slice(-4).join(" "); });
}

export function toast(text, tone) {
  const id = freshID();
  const drop = () => change({ toasts: state.toasts.filter((each) => each.id !== id) });
  // A repeated message replaces its toast, and at most three toasts are kept, because a pile of
  // them would cover the next button.
  const others = state.toasts.filter((each) => each.text !== text);
  change({ toasts: [...others.slice(-2), { id, text, tone, drop }] });
  announce(text, tone === "bad");
  setTimeout(drop, TOAST_DURATION);
}

export const renderToasts = ({ toasts }) => toasts.map(({ id, text, tone, drop }) =>
  h("div.toast", { key: id, class: tone }, h("p", text), signButton("cross", say.close, drop)));

/**
 * Asks a question in a modal dialog; `fields` draws its fields, if any. Resolves to the chosen
 * value, or null if the dialog is dismissed.
 */
export function question(title, lines, actions, tone, isOfTag = false, fields = null) {
  return new Promise((resolve) => {
    const answer = (value) => { change({ dialog: null }); resolve(value); };
    change({ dialog: { id: freshID(), title, lines, actions, tone, answer, isOfTag, fields } });
  });
}

/**
 * Asks the user to confirm an irreversible action; the first button changes nothing. A question
 * about the tag on the reader is closed when that tag is removed.
 */
export const confirmed = (title, lines, action, tone = "bad", isOfTag = false) =>
  question(title, lines, [[null, say.cancel], [true, action, `strong ${tone}`]], tone, isOfTag);

/** Clears announcements and closes a question about a tag, because the tag was removed. */
export function clearTagMessages() {
  for (const name of ["polite", "urgent"]) document.getElementById(name).textContent = "";
  if (!state.dialog?.isOfTag) return;
  state.dialog.answer(null);
  toast(say.tagLeft);
}

export const renderDialog = ({ dialog }) => dialog && h("dialog", {
  key: dialog.id, class: dialog.tone, "aria-labelledby": "ask",
  oncancel: (event) => { event.preventDefault(); dialog.answer(null); },
  mount: (node) => {
    node.showModal();
    // Closing the dialog returns the focus to the previous element; just removing it would not.
    return () => node.close();
  },
},
h("h2", { id: "ask" }, dialog.title),
dialog.lines.map((line) => line && h("p", line)),
dialog.fields?.(),
// The buttons are guarded, so that the tap that opens a question cannot also answer it.
h("div.row.end", dialog.actions.map(([value, text, tone]) =>
  button(text, () => dialog.answer(value), { tone, money: value !== null }))));

export const canNotify = (permission) =>
  "Notification" in window && Notification.permission === permission;

/** Call this only after a press, because the browser remembers the user's answer. */
export const allowNotifications = async () => {
  await Notification.requestPermission();
  change({});
};

/** Shows a system notification if allowed; otherwise, shows a toast. */
export function notify(title, body) {
  try {
    if (canNotify("granted")) {
      new Notification(title, { body, icon: "/icon.svg" });
      return;
    }
  } catch {
    // On phones, only a service worker can show a notification; the toast says the same thing.
  }
  toast(`${title}: ${body}`, "bad");
}
