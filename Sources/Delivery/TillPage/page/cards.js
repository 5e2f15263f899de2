// Making cards, and the operator's actions on a card. Irreversible actions need confirmation.

import { load } from "./api.js";
import { cardSide } from "./card-face.js";
import { h } from "./dom.js";
import { confirmed } from "./notices.js";
import {
  isEnded, isOffered, isPossible, makesCards, confirmingMember, provesItself, WITHOUT_TAP,
} from "./offers.js";
import { confirmedBySecond, may, needsConsent } from "./roles.js";
import { draft, discardDrafts, isUsable, setDraft, state, trustedCard } from "./store.js";
import { say } from "./strings.js";
import { begin, dismiss } from "./tasks.js";
import {
  accepts, amountField, button, field, form, heading, loaded, note, rows, submit, tick, typed,
} from "./ui.js";
import { fault, minorUnits, shown, timeWords, typedAmount, uidWords } from "./words.js";

const SIGNS = {
  issue: "add", demo: "card", adopt: "tag", repair: "repair", block: "block", unblock: "check",
  replace: "swap", close: "pay", forget: "person",
};
/** The drafts of the form for a new card. */
const ISSUE_DRAFTS = ["name", "id", "balance", "noScratch", "protect"]
  .map((each) => `issue-${each}`);
const words = say.cards;

/** Makes a card. If content on the tag would be erased, asks first. */
function make(verb, body = {}, about = "") {
  begin(verb, body, {
    about,
    then: async ({ id, status, problem }) => {
      // After a refusal, the customer is still the same, so the input is kept.
      if (verb === "issue" && ["done", "cancelled"].includes(status)) {
        discardDrafts(...ISSUE_DRAFTS);
      }
      const member = problem ? confirmingMember(verb, problem) : null;
      if (!member || body[member]) return;
      dismiss(id);
      const [title, lost, action] =
        say.making[member === "reissue" && isEnded() ? "again" : member];
      const { uid, balance } = state.card?.read ?? {};
      const isHeld = member === "reissue" && uid === problem.uid && minorUnits(balance ?? "0") > 0n;
      const held = isHeld && say.making.held(shown(balance));
      const what = member === "overwrite" && problem.title;
      if (await confirmed(title, [what, held, lost], action, "bad", true)) {
        // The question stated the cash to pay out, so that amount is confirmed, too.
        make(verb, { ...body, [member]: true, ...(isHeld && { confirmed: true }) }, about);
      }
    },
  });
}

export const makeDemo = () => make("demo");

function issueTyped() {
  const [name, id] = ["issue-name", "issue-id"].map(typed);
  const balance = typedAmount("issue-balance");
  const isNumber = accepts("issue-id", id && !/^[1-9]\d{0,9}$/.test(id) ? say.issue.idFault : null);
  if (!accepts("issue-balance", balance && fault(draft("issue-balance"))) || !isNumber) return;
  make("issue", {
    ...(name && { name }), ...(id && { id: Number(id) }), ...(balance && { balance }),
    ...(draft("issue-noScratch", false) && { noScratch: true }),
    ...(!provesItself() && draft("issue-protect", false) && { protect: true }),
  }, name);
}

/** Makes Enter move to the next field, so that only the button issues a card. */
function toNextField(event) {
  if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
  event.preventDefault();
  const all = [...event.target.form.elements];
  all[all.indexOf(event.target) + 1].focus();
}

const issueForm = (disabled) => form(issueTyped, h("div.form", { onkeydown: toNextField },
  field("issue-name", say.issue.name),
  field("issue-id", say.issue.id, { inputmode: "numeric" }),
  amountField("issue-balance", say.issue.balance),
  tick("issue-noScratch", say.issue.noScratch),
  provesItself() ? h("p.hint", say.issue.proven)
    : tick("issue-protect", say.issue.protect, say.issue.protectHint),
  h("div.row", submit(say.issue.action, disabled, "strong", true),
    button(say.home.demo, makeDemo, { sign: "card", disabled }))));

export const issue = {
  title: say.issue.title,
  render: (s) => [
    heading(say.issue.title, say.issue.lead),
    h("div.till", cardSide(s), makesCards() ? issueForm(!isUsable() || !isPossible("issue"))
      : note(say.issue.elsewhere, "warn", "warn")),
  ],
};

// Printed card numbers have spaces.
const typedCard = () => draft("cards-card").replace(/\s/g, "").toUpperCase();

async function act(verb) {
  const uid = typedCard();
  const accepted = typedAmount("cards-accept");
  const isInvalid = uid ? !/^[0-9A-F]{14}$/.test(uid) : verb === "replace";
  if (!accepts("cards-card", isInvalid ? words.cardFault : null)) return;
  // For a payout, the card must be on the reader, because the question states its balance.
  const isElsewhere = verb === "close" && uid && uid !== trustedCard()?.uid;
  if (!accepts("cards-card", isElsewhere ? words.elsewhere : null)) return;
  const wrong = accepted && fault(draft("cards-accept"));
  if (verb === "adopt" && !accepts("cards-accept", wrong)) return;
  const [name, , warning] = words.actions[verb];
  const chosen = draft("cards.chosen", null);
  const isChosen = chosen?.uid === uid && verb !== "adopt";
  const whom = isChosen
    ? [chosen.name ?? words.noName, shown(chosen.balance), words.ends(uid.slice(-4))].join(", ")
    : uid && verb !== "adopt" ? say.cardWords(uidWords(uid)) : words.onReader;
  const tone = ["adopt", "unblock"].includes(verb) ? "" : "bad";
  const paidOut = verb === "close" ? trustedCard() : null;
  const due = paidOut && words.handOut(shown(paidOut.balance));
  const lines = [whom, due, warning];
  const isConfirmed = needsConsent(verb)
    ? await confirmedBySecond(verb, uid, words.ask(name), lines, name)
    : await confirmed(words.ask(name), lines, name, tone, !uid);
  if (!isConfirmed) return;
  discardDrafts("cards-card", "cards-accept");
  if (paidOut) {
    make(verb, { card: paidOut.uid }, shown(paidOut.balance));
    return;
  }
  if (verb !== "adopt") make(verb, uid ? { card: uid } : {});
  else if (accepted) make(verb, { acceptBalance: accepted }, shown(accepted));
  else make(verb);
}

const FIND_PAGE = 20;
const findPath = (after) => `find?${new URLSearchParams({
  text: typed("cards-find"), last: FIND_PAGE, ...(after && { after }),
})}`;

function findTyped() {
  if (!accepts("cards-find", typed("cards-find") ? null : words.findFault)) return;
  load("found", findPath());
}

/** Puts a card that was found into the form, so that the actions below apply to it. */
function choose({ uid, name, balance }) {
  setDraft("cards-card", uid);
  setDraft("cards.chosen", { uid, name, balance });
  setDraft("cards-card!", null);
  setTimeout(() => document.getElementById("cards-card")?.focus());
}

/** The card numbers' last four digits tell people with the same name apart. */
const foundCard = (each) => h("li.entry", { key: each.uid },
  h("p.when", h("strong", each.name ?? words.noName),
    h("small", [words.ends(each.uid.slice(-4)), words.statuses[each.status],
      each.lastUsed && words.lastUsed(timeWords(each.lastUsed))].filter(Boolean).join(", "))),
  h("p.sum", h("b", shown(each.balance))),
  h("a.uid", { href: `#/history/${each.uid}` }, uidWords(each.uid)),
  button(words.choose, () => choose(each),
    { tone: "small", "aria-label": `${words.choose} ${each.name ?? ""} ${uidWords(each.uid)}` }));

const finder = (found) => h("section.part", h("h2", words.find),
  form(findTyped, h("div.free", field("cards-find", words.findWhat, { type: "search" }),
    submit(words.findAction, false, ""))),
  found && loaded(found, ({ cards: all, hasMore }) => [
    rows(all, foundCard, words.notFound),
    hasMore && button(words.more, () => load("found", findPath(all.at(-1).uid)),
      { tone: "small" })], findTyped));

const direct = { issue: () => { location.hash = "#/issue"; }, demo: makeDemo };

function action([verb, [name, hint]]) {
  if (!isOffered(verb, Boolean(typedCard()))) return null;
  const isFree = WITHOUT_TAP.includes(verb) && typedCard();
  const mustBeRemoved = verb === "replace" && isUsable() && !isPossible(verb);
  return h("li", button(name, direct[verb] ?? (() => act(verb)), {
    sign: SIGNS[verb], tone: "wide-button", hint: mustBeRemoved ? words.takeOff : hint,
    disabled: isFree ? state.link !== "live"
      : !isUsable() || !isPossible(verb, Boolean(typedCard())),
  }));
}

export const cards = {
  title: words.title,
  render: (s) => [
    heading(words.title, words.lead),
    h("div.till",
      cardSide(s, field("cards-card", words.card, { hint: words.cardHint, maxlength: "24" }),
        isOffered("adopt")
          && amountField("cards-accept", words.accept, { hint: words.acceptHint })),
      h("ul.actions", Object.entries(words.actions).map(action))),
    may("find") && finder(s.data.found),
  ],
};
