// Sounds for outcomes: done, refused, and unknown. They are made here, without files.

import { change, onChange } from "./store.js";
import { say } from "./strings.js";
import { signButton } from "./ui.js";

const STORAGE_KEY = "tapcard.sounds";
const OFF = "off";
/** For each outcome, its tones: frequency in hertz, start and length in seconds. */
const TONES = {
  done: [[880, 0, 0.1], [1320, 0.11, 0.16]],
  failed: [[196, 0, 0.35]],
  unknown: [[523, 0, 0.12], [523, 0.2, 0.12], [523, 0.4, 0.12]],
};
const LOUDNESS = 0.3;
const FADE = 0.02;
const words = say.sounds;
/** The outcome of each task that was heard. */
let outcomes = {};
let context = null;

const isOn = () => localStorage.getItem(STORAGE_KEY) !== OFF;

/** Whether the browser does not play sounds, as before the first press on the page. */
const isBlocked = () => context?.state !== "running";

/** Lets the browser play sounds. Before the first press, it would only log a warning. */
function unblock() {
  if (!isOn() || !isBlocked() || !navigator.userActivation?.hasBeenActive) return;
  if (!context) {
    context = new AudioContext();
    context.onstatechange = () => change({});
  }
  context.resume();
}

function play(outcome) {
  if (!isOn() || isBlocked()) return;
  for (const [frequency, start, length] of TONES[outcome]) {
    const from = context.currentTime + start;
    const tone = new OscillatorNode(context, { frequency, type: "triangle" });
    const volume = new GainNode(context, { gain: 0 });
    // Without the ramps, each tone would begin and end with a click.
    volume.gain.setValueAtTime(0, from);
    volume.gain.linearRampToValueAtTime(LOUDNESS, from + FADE);
    volume.gain.setValueAtTime(LOUDNESS, from + length - FADE);
    volume.gain.linearRampToValueAtTime(0, from + length);
    tone.connect(volume).connect(context.destination);
    tone.start(from);
    tone.stop(from + length);
  }
}

function toggle() {
  localStorage.setItem(STORAGE_KEY, isOn() ? OFF : "on");
  unblock();
  change({});
}

/**
 * The button that turns sounds off and on, or says that the browser blocks them. It always has the
 * same size, because the first press anywhere unblocks them, and nothing may move then.
 */
export const soundButton = () => {
  if (!("AudioContext" in window)) return null;
  if (isOn() && isBlocked()) return signButton("mute", words.blocked, unblock, { class: "warn" });
  return signButton(isOn() ? "sound" : "mute", isOn() ? words.off : words.on, toggle);
};

onChange(({ tasks, sale }) => {
  const now = Object.fromEntries(Object.values(tasks).map(({ id, status }) => [id, status]));
  // A paid sale makes room for the next one at once.
  if (sale.paid) now[sale.paid.operation] = "done";
  // Tasks that were restored after a reload have had their sound.
  const fresh = Object.keys(now).find((id) => now[id] !== outcomes[id] && now[id] in TONES);
  outcomes = now;
  if (fresh) play(now[fresh]);
});
for (const event of ["pointerup", "keydown"]) addEventListener(event, unblock, true);
