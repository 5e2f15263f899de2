// Controls that move money ignore taps for a moment after they appear or move, and after the card
// on the reader has changed: a tap already on its way was meant for the previous control or card.
// Such controls are marked with `data-money`.

import { state } from "./store.js";

const REST = 600;
/** How each control last looked, and since when it has been unchanged. */
const known = new WeakMap();
/** Whether the press on a control began too early; lifting the finger later does not help. */
let isTooSoon = false;

/** Inspects a control and returns the time since which nothing about it has changed. */
function since(node, now) {
  const { x, y, width, height } = node.getBoundingClientRect();
  const looks = [state.visit, node.disabled, node.textContent,
    ...[x, y, width, height].map(Math.round)].join();
  const before = known.get(node);
  if (before?.looks === looks) return before.at;
  clearTimeout(before?.timer);
  node.dataset.resting = "";
  const timer = setTimeout(() => delete node.dataset.resting, REST);
  known.set(node, { looks, at: now, timer });
  return now;
}

/** Inspects all controls; call this after every layout change. */
export function lookAtControls() {
  const now = performance.now();
  for (const node of document.querySelectorAll("[data-money]")) since(node, now);
}

// The event's own time counts, because a busy page handles a tap late.
function isResting({ target, timeStamp }) {
  lookAtControls();
  const node = target.closest?.("[data-money]");
  return Boolean(node) && timeStamp - since(node, performance.now()) < REST;
}

function onPress(event) {
  isTooSoon = isResting(event);
}

function onClick(event) {
  // A keyboard click, whose detail is 0, has no press before it.
  const isHeld = isResting(event) || (event.detail > 0 && isTooSoon);
  isTooSoon = false;
  if (!isHeld) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

// Capturing on the window comes first and includes the click that Enter causes in a form.
addEventListener("pointerdown", onPress, true);
addEventListener("click", onClick, true);
for (const name of ["scroll", "resize", "toggle"]) addEventListener(name, lookAtControls, true);
