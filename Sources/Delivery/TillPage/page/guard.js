// Controls that move money ignore taps for a moment after they appear or move, and after the card
// on the reader has changed, because a tap already underway was meant for the previous control or
// card. Such controls are marked with `data-money`.

import { state } from "./store.js";

/** How long a control must stay unchanged before it accepts a press, in milliseconds. */
const RESTING_TIME = 600;
/** How each control looked at the last inspection, and when it began to look that way. */
const known = new WeakMap();
/** Whether the current press began too soon. If so, lifting the finger late does not help. */
let wasPressedTooSoon = false;

/** Inspects a control and returns the time of its last change. */
function unchangedSince(node, now) {
  const { x, y, width, height } = node.getBoundingClientRect();
  const looks = [state.visit, node.disabled, node.textContent,
    ...[x, y, width, height].map(Math.round)].join();
  const before = known.get(node);
  if (before?.looks === looks) return before.at;
  clearTimeout(before?.timer);
  // While this is set, the style sheet shows a waiting cursor.
  node.dataset.resting = "";
  const timer = setTimeout(() => delete node.dataset.resting, RESTING_TIME);
  known.set(node, { looks, at: now, timer });
  return now;
}

/** Inspects all controls; call this after every layout change. */
export function inspectControls() {
  const now = performance.now();
  for (const node of document.querySelectorAll("[data-money]")) unchangedSince(node, now);
}

// The event's own time counts, because a busy page may handle a tap late.
function isResting({ target, timeStamp }) {
  inspectControls();
  const node = target.closest?.("[data-money]");
  return Boolean(node) && timeStamp - unchangedSince(node, performance.now()) < RESTING_TIME;
}

function onPress(event) {
  wasPressedTooSoon = isResting(event);
}

function onClick(event) {
  // A click from the keyboard, whose detail is 0, has no press before it.
  const isIgnored = isResting(event) || (event.detail > 0 && wasPressedTooSoon);
  wasPressedTooSoon = false;
  if (!isIgnored) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

// A capturing listener on the window runs first, and also gets the click that Enter causes in a
// form.
addEventListener("pointerdown", onPress, true);
addEventListener("click", onClick, true);
for (const name of ["scroll", "resize", "toggle"]) addEventListener(name, inspectControls, true);
