// Activation. It continues even if the user leaves this view, and every view reports a failure.

import { cardSide } from "./card-face.js";
import { h } from "./dom.js";
import { allowNotifications, canNotify, notify, question, toast } from "./notices.js";
import { renderPanel, spinner } from "./panel.js";
import { isUsable, state, taskOf, trustedCard } from "./store.js";
import { say } from "./strings.js";
import { begin, dismiss, isOpen, whenever } from "./tasks.js";
import { button, heading, link, note } from "./ui.js";

const words = say.activate;

/** Whether the service may have activated the code. A repeated request sends the same code. */
const isUnconfirmed = ({ result, next }) =>
  result === "service" || next.some(({ step }) => step === "activate-later");

function tell({ id, status, problem }) {
  const isHere = state.route.name === "activate";
  if (status === "failed") {
    const title = isUnconfirmed(problem) ? words.unconfirmed : words.failed;
    dismiss(id);
    notify(title, problem.detail);
    question(title, [problem.title, problem.meaning, problem.advice],
      [[null, say.close]], "bad");
  } else if (!isHere && status === "unknown") toast(say.unknown.title, "bad");
  else if (!isHere && status === "done") {
    toast(words.done);
    dismiss(id);
  }
}

whenever("activate", tell);

const running = ({ status, phase }) => h("section.running", spinner(), h("div", { role: "status" },
  h("strong", status === "waiting" ? say.panel.hold : say.phases[phase] ?? words.running),
  h("p", words.runningHint)));

function body(task) {
  const read = trustedCard();
  if (isOpen(task?.id)) return running(task);
  const isDone = task?.status === "done" || read?.state === "activated";
  if (isDone) return note(words.done, "check", "good");
  // If the reader is empty, the button is enabled, and pressing it asks for a card.
  const isReady = !state.card || ["scratched", "activating"].includes(read?.state);
  return [
    !isReady && note(words.not),
    h("div.row",
      button(words.action, () => begin("activate", {}, { place: "own" }),
        { tone: "strong", sign: "send", disabled: !isReady || !isUsable(), money: true }),
      canNotify("default") && button(words.notify, allowNotifications, { tone: "quiet" })),
  ];
}

/** A small note, shown in all other views. */
export function activationNote({ route }) {
  const task = taskOf("activate");
  const told = isOpen(task?.id) ? words.running : say.unknown.title;
  return task && route.name !== "activate"
    && link(told, "#/activate", { tone: "note-link" });
}

export const activate = {
  title: words.title,
  render(s) {
    const task = taskOf("activate");
    if (["unknown", "asking"].includes(task?.status)) return renderPanel(task);
    return [
      heading(words.title, words.lead),
      h("div.till", cardSide(s), h("section.amounts", body(task))),
    ];
  },
  leave() {
    const task = taskOf("activate");
    if (task?.status === "done") dismiss(task.id);
  },
};
