// Controls that move money ignore taps for a moment after they appear or move: a tap already on its
// way was meant for the previous control. Such controls are marked with `data-money`.

const REST = 600;
/** What each control was like when it was last looked at, and since when it has been so. */
const known = new WeakMap();
/** Whether the finger came down on a control too soon: to lift it later does not help. */
let isTooSoon = false;

/** Looks at a control, and answers since when it says what it says, where it is. */
function since(node, now) {
  const { x, y, width, height } = node.getBoundingClientRect();
  const looks = [node.disabled, node.textContent, ...[x, y, width, height].map(Math.round)].join();
  const before = known.get(node);
  if (before?.looks === looks) return before.at;
  clearTimeout(before?.timer);
  node.dataset.resting = "";
  const timer = setTimeout(() => delete node.dataset.resting, REST);
  known.set(node, { looks, at: now, timer });
  return now;
}

/** Looks at all of them; to be called whenever something may have appeared or moved. */
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
  const isHeld = isResting(event) || (event.detail > 0 && isTooSoon);
  isTooSoon = false;
  if (!isHeld) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

// Capturing on the window comes first and includes the click that a form makes of Enter.
addEventListener("pointerdown", onPress, true);
addEventListener("click", onClick, true);
for (const name of ["scroll", "resize", "toggle"]) addEventListener(name, lookAtControls, true);
