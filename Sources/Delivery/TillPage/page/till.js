// The till: the card on the reader, the actions for it, payments, and top-ups.

import { call } from "./api.js";
import { cardSide } from "./card-face.js";
import { makeDemo } from "./cards.js";
import { h, icon } from "./dom.js";
import { announce } from "./notices.js";
import { canBecomeCard, isEnded, loadsCards } from "./offers.js";
import { may } from "./roles.js";
import {
  change, draft, discardDrafts, isBarred, acceptsOffline, willBeBookedLater, isServed,
  cannotBeChecked, isUsable, isWithoutLedger, serve, state, trustedCard,
} from "./store.js";
import { say } from "./strings.js";
import { begin, whenever } from "./tasks.js";
import { accepts, amountField, button, form, heading, link, note, submit } from "./ui.js";
import { example, fault, presetText, shown, typedAmount } from "./words.js";

const ASKING_LIMIT = 30_000;
const words = say.home;
let askingEnds = 0;

async function askForCard() {
  clearTimeout(askingEnds);
  change({ asking: !state.card });
  askingEnds = setTimeout(() => change({ asking: false }), ASKING_LIMIT);
  try {
    const card = await call("GET", "card");
    if (card.session !== null) change({ card, asking: false });
  } catch {
    // The stream also reports this, and its banner is already visible.
  }
}

/** Why cards cannot be charged or topped up. */
const noLedger = () => words.noLedger[state.card?.problem?.error] ?? words.noLedger.other;

const isAway = () => state.reader?.state === "missing";

const balanceTile = (read, asking) => h("button.tile.balance-tile", {
  onclick: askForCard, disabled: !isUsable(),
},
h("span", words.balance), h("b", shown(read?.balance)),
h("small", read ? read.name ?? say.card.nameless : isAway() ? words.noReader
  : cannotBeChecked() ? noLedger() : isBarred() ? words.barred : asking ? say.card.asking
    : words.balanceAsk));

/** A link to a view or, if the view cannot be used right now, a disabled button that says why. */
function way(name, sign, hint, isOpen) {
  const inside = [icon(sign), h("span", words[name]), h("small", hint)];
  return isUsable() && isOpen ? h("a.tile", { key: name, class: name, href: `#/${name}` }, inside)
    : h("button.tile", { key: name, disabled: true }, inside);
}

function ways({ asking }) {
  const read = trustedCard();
  const word = read ? read.state ?? "none" : "absent";
  const isHeld = isBarred() || isWithoutLedger();
  const why = isAway() ? words.noReader : isWithoutLedger() ? noLedger()
    : isBarred() ? words.notThis : null;
  const [scratchHint, activateHint] = words.why[word] ?? [];
  return h("section.tiles", { "aria-label": words.ways },
    balanceTile(read ?? (cannotBeChecked() || acceptsOffline() ? state.card.read : null), asking),
    way("pay", "pay", willBeBookedLater() ? say.offlinePayments.hint : why ?? words.payHint,
      !isHeld || willBeBookedLater()),
    may("add") && way("add", "add", why ?? (loadsCards() ? words.addHint : words.elsewhere),
      !isHeld && loadsCards()),
    way("scratch", "scratch", why ?? scratchHint, word === "unscratched"),
    way("activate", "send", why ?? activateHint, ["scratched", "activating"].includes(word)));
}

const offer = () => h("section.offer", isEnded() ? [
  h("h2", words.offerAgain),
  link(words.issueAgain, "#/issue", { tone: "button strong", sign: "add" }),
] : [
  h("h2", words.offer),
  h("div.row",
    button(words.demo, makeDemo, { tone: "strong", sign: "card" }),
    link(words.issue, "#/issue", { sign: "add" })),
  h("p.hint", words.demoHint),
]);

export const home = {
  title: words.title,
  render(s) {
    const { read } = s.card ?? {};
    return [
      h("div.unseen", heading(words.title)),
      h("div.till",
        cardSide(s, canBecomeCard() && offer(),
          read && read.ledger !== "unknown" && link(words.history, `#/history/${read.uid}`,
            { tone: "quiet", sign: "history" })),
        ways(s)),
    ];
  },
};

/**
 * The card to use. For a payment, this includes a card that can pay while the ledger is offline.
 */
const shownCard = (verb) =>
  (verb === "pay" && acceptsOffline() ? state.card.read : trustedCard());

// The request specifies the displayed card, because another card may be on the reader by the time
// the server reads it.
function move(verb, amount) {
  const card = shownCard(verb)?.uid;
  begin(verb, { amount, ...(card && { card }) }, { about: shown(amount) });
  // The field is cleared whatever the outcome, so that it is empty for the next customer's amount.
  discardDrafts(`${verb}-amount`);
}

const servedWords = (verb) =>
  state.served[verb] === "perhaps" ? say.possiblyServed[verb] : say.served[verb][0];

/** Returns to the till after a top-up, for the next customer. */
export function leaveAdd() {
  if (state.route.name !== "add") return;
  // The address is replaced, so that the browser's Back button does not return to the finished
  // top-up.
  window.history.replaceState(null, "", "#/home");
  change({ route: { name: "home", arg: null } });
}

// This happens whatever the outcome, because the next card may be another customer's.
whenever("add", leaveAdd);

/**
 * A card that stays on the reader is charged only once; charging it again needs confirmation. The
 * button for it is above the places where the amounts, the tiles, and the check mark appear.
 */
export const serveAgain = (verb) => isServed(verb) && [
  button(say.served[verb][1], () => serve(verb), { tone: "again", sign: "card", money: true }),
  h("div", { mount: () => announce(servedWords(verb)) },
    note(servedWords(verb), "info", "warn")),
];

const amounts = (verb, id, disabled) => [
  h("h2", say.money.presets),
  h("div.presets", (state.settings?.presets[verb] ?? []).map((amount) =>
    h("button.tile.amount", {
      key: amount, disabled, "data-money": true, onclick: () => move(verb, amount),
    }, presetText(amount)))),
  form(() => accepts(id, fault(draft(id))) && move(verb, typedAmount(id)), h("div.free",
    amountField(id, say.money.label, { placeholder: example(verb), disabled }),
    submit(say[verb].action, disabled, "strong", true))),
];

const moneyView = (verb) => ({
  title: say[verb].title,
  render(s) {
    const read = shownCard(verb);
    const isHeld = (isBarred() || isWithoutLedger()) && !(verb === "pay" && willBeBookedLater());
    const isElsewhere = verb === "add" && !loadsCards();
    const disabled = !isUsable() || isHeld || isElsewhere;
    const again = serveAgain(verb);
    return [
      again ? h("div.unseen", heading(say[verb].title)) : heading(say[verb].title, say[verb].lead),
      h("div.till",
        // The amounts are where the till shows the card, so that a double tap on a tile cannot hit
        // an amount.
        h("section.amounts", again || amounts(verb, `${verb}-amount`, disabled),
          h("p.hint", read ? say.money.on(read.name ?? say.card.nameless, shown(read.balance))
            : isAway() ? words.noReader : !disabled && say.money.nobody)),
        cardSide(s, isHeld && !isWithoutLedger() && note(say.money.notNow, "warn", "bad"),
          isElsewhere && note(say.money.elsewhere, "warn", "warn"))),
    ];
  },
});

export const pay = moneyView("pay");
export const add = moneyView("add");
