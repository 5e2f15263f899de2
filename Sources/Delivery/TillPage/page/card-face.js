// The picture of a card. Its rosette is derived from the card's number, so that cards look
// different.

import { h, icon } from "./dom.js";
import { tagTexts } from "./refusals.js";
import { isOffered, provesItself } from "./offers.js";
import {
  acceptsOffline, cannotBeChecked, isLedgerProblem, isSerious, trustedCard,
} from "./store.js";
import { say } from "./strings.js";
import { note } from "./ui.js";
import { chipWords, shown, uidWords } from "./words.js";

const STEPS = 180;
const LOOPS = 12;
const words = say.card;

function rosette(uid) {
  const bytes = uid.match(/../g).map((pair) => parseInt(pair, 16));
  // The first byte is not used, because it is the same for all tags from one manufacturer.
  const petals = 4 + (bytes[1] % 9);
  const depth = 12 + (bytes[2] % 22);
  const twist = petals * (1 + (bytes[3] % 3));
  const loop = (phase) => Array.from({ length: STEPS }, (_, step) => {
    const angle = (step / STEPS) * 2 * Math.PI;
    const radius = 62 + depth * Math.cos(petals * angle + phase)
      + 5 * Math.cos(twist * angle - phase);
    return [Math.cos(angle), Math.sin(angle)].map((part) => (part * radius).toFixed(1)).join(" ");
  });
  const lines = Array.from({ length: LOOPS }, (_, index) =>
    `M${loop((index / LOOPS) * 2 * Math.PI).join("L")}Z`);
  return h("svg.rosette", { viewBox: "-100 -100 200 200", "aria-hidden": "true" },
    h("path", { d: lines.join("") }));
}

function emptySlot({ reader }) {
  const [sign, title, hint] = reader?.state === "missing" ? ["warn", words.away, words.awayHint]
    : ["waves", words.empty, words.emptyHint];
  return h("div.card.slot", icon(sign), h("p.big", title), h("p", hint));
}

const isAccepted = () => trustedCard() || acceptsOffline() || cannotBeChecked();

const face = ({ uid, chip, name, id, balance, state, code }) => h("div.card", {
  key: uid, class: isAccepted() ? "" : "doubtful",
},
rosette(uid),
h("p.mark", icon("waves"), h("span", say.brand),
  h("small", isAccepted() && provesItself() ? words.proven(chipWords(chip)) : chipWords(chip))),
h("p.balance", h("small", say.home.balance), h("b", shown(balance))),
h("div.holder", h("p.name", name ?? words.nameless), h("p.uid", uidWords(uid)),
  id !== null && h("p.number", words.number(id))),
h("p.strip", { class: state ?? "" }, state === "activated" && icon("check"),
  h("span", words.scratch[state]), code && h("code", { title: code }, code)));

/** A tag that is not shown as a card, because it is not one or its content cannot be trusted. */
function plate(problem) {
  const { error, uid, next } = problem;
  // A card whose tag can no longer be written to is still a card.
  const isCard = next.some(({ step }) => step.startsWith("replace"));
  const other = isLedgerProblem(problem) ? words.plates.unchecked : words.plates.other;
  return h("div.card.blank", { class: isSerious() ? "grave" : "" },
    icon(isSerious() ? "warn" : "tag"),
    h("p.big", isCard ? words.unusable : words.plates[error] ?? other),
    uid && h("p.uid", uidWords(uid)));
}

/** Why a card that was read without a problem cannot be used; null if it can. */
export function standingWords({ ledger, seal }) {
  if (ledger !== "unknown") return words.ledger[ledger] ?? null;
  return [seal === "unsealed" ? words.unsealed : words.ledger.unknown,
    isOffered("adopt") && words.adopt].filter(Boolean).join(" ");
}

const bar = (remark) => note(remark, "warn", "bad");

const refusal = ({ warning, title, lines }) =>
  h("section.note", { class: warning ? "bad" : "warn" }, icon("warn"), h("div",
    warning && h("h2", warning), h("strong", title), lines.map((line) => line && h("p", line))));

/** The card, its problem, and small notes. */
export function cardSide(s, ...more) {
  const { read, problem } = s.card ?? {};
  const standing = read && !problem && standingWords(read);
  const remarks = read && !problem && [
    standing && bar(standing),
    read.originality === "invalid" && bar(words.forgedChip),
    words.display[read.display] && note(words.display[read.display]),
  ];
  return h("section.side", { "aria-label": words.heading },
    !read && !problem ? emptySlot(s)
      : read && (read.balance || !problem) ? face(read) : plate(problem),
    acceptsOffline() && note(say.offlinePayments.card, "info", "warn"),
    problem && !acceptsOffline() && refusal(tagTexts(problem)),
    remarks,
    more);
}
