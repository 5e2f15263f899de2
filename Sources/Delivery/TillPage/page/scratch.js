// Scratching by rubbing. The code appears only after the server has confirmed that it is on the
// card.

import { cardSide } from "./card-face.js";
import { h } from "./dom.js";
import { toast } from "./notices.js";
import { cover } from "./scratch-cover.js";
import { renderPanel } from "./panel.js";
import { change, isUsable, state, taskOf, trustedCard } from "./store.js";
import { say } from "./strings.js";
import { told } from "./refusals.js";
import { begin, cancel, dismiss, isOpen } from "./tasks.js";
import { button, heading, link, note } from "./ui.js";

const words = say.scratch;
let field = null;
let round = 0;

function start() {
  if (taskOf("scratch") || !isUsable()) return;
  // The tag has just changed, so the rubbing was meant for another card: cover the field again.
  if ("resting" in field.canvas.dataset) {
    round += 1;
    change({});
    return;
  }
  begin("scratch", {}, {
    place: "own",
    then: (task) => {
      // A new round draws a new cover, which is needed if the scratch failed.
      round += 1;
      if (state.route.name === "scratch" || task.status === "cancelled") return;
      toast(task.problem ? told(task) : say.verbs.scratch[1], task.problem && "bad");
      if (task.status !== "unknown") dismiss(task.id);
    },
  });
}

function onKey(event) {
  if (event.key !== " " && event.key !== "Enter") return;
  event.preventDefault();
  field.rubAlone();
}

const panel = (task) => h("section.rub",
  h("div.ticket",
    h("p.under", { "aria-hidden": "true" }, h("small", words.under), h("b", words.hidden)),
    h("canvas", {
      key: round, tabindex: "0", role: "button", "aria-label": words.field, onkeydown: onKey,
      "data-money": true,
      mount: (canvas) => { field = { canvas, ...cover(canvas, start) }; },
    })),
  h("p.progress", { role: "status" }, task
    && (task.status === "waiting" ? say.panel.hold : words.working)),
  h("div.bar", { class: task?.phase === "scratching" ? "runs" : "" }, h("i")),
  h("div.row",
    button(words.button, () => field.rubAlone(),
      { tone: "strong", sign: "scratch", disabled: Boolean(task) || !isUsable(), money: true }),
    link(words.leave, "#/home", { tone: "quiet" })));

const revealed = (code, told) => h("section.rub",
  h("div.ticket.open", h("p.under", h("small", told), h("code", code))),
  h("div.row",
    trustedCard()?.state === "scratched"
      && link(words.next, "#/activate", { tone: "button strong", sign: "send" }),
    link(say.back, "#/home", { tone: "quiet" })));

/** Whether there is a code to reveal, or a scratch in progress. */
const isRubbing = (task) => (task ? ["waiting", "working"].includes(task.status)
  : trustedCard()?.state === "unscratched");

function body(s, task) {
  const read = trustedCard();
  if (task?.status === "done") return [cardSide(s), revealed(task.answer.code, words.done)];
  if (read?.code) return [cardSide(s), revealed(read.code, say.card.scratch[read.state])];
  return [cardSide(s), s.card && note(words.not)];
}

export const scratch = {
  title: words.title,
  render(s) {
    const task = taskOf("scratch");
    if (["failed", "unknown", "asking"].includes(task?.status)) return renderPanel(task);
    const isRubbed = isRubbing(task);
    return [
      heading(words.title, isRubbed && words.lead),
      h("div.till", isRubbed ? [cardSide(s), panel(task)] : body(s, task)),
    ];
  },
  leave() {
    const task = taskOf("scratch");
    if (!task) return;
    if (isOpen(task.id)) cancel(task.id);
    else if (task.status !== "unknown") dismiss(task.id);
  },
};
