// What the person who is logged in may do. The server decides; the page offers nothing else.

import { consent } from "./api.js";
import { h } from "./dom.js";
import { question } from "./notices.js";
import { discardDrafts, draft, setDraft, state } from "./store.js";
import { say } from "./strings.js";
import { field, passwordField, problemBox, typed } from "./ui.js";

const words = say.consent;
/** How long sellers may undo their own payments, a little less than on the server. */
const UNDO_LIMIT = 290_000;

const role = () => state.rights?.role ?? null;

/** Whether the cashier may make this call alone. */
export const may = (verb) => state.rights?.may?.includes(verb) ?? true;

/** Whether the cashier may make this call with the consent of a second person. */
export const needsConsent = (verb) => state.rights?.mayWithConsent?.includes(verb) ?? false;

/** Whether the page offers this call. */
export const isAllowed = (verb) => may(verb) || needsConsent(verb);

/** Whether the cashier may see the history of all cards. Sellers see one card's. */
export const seesAllHistory = () => role() !== "seller";

/** Whether this entry of the history may be refunded or undone. */
export const mayRefund = ({ kind, cashier, at }) => role() !== "seller"
  || (kind === "pay" && cashier === state.session?.cashier
    && Date.now() - Date.parse(at) < UNDO_LIMIT);

/** The views that need a call; all others are for everyone. */
const NEEDED = {
  add: "add", issue: "issue", products: "products/add", reports: "reports/{report}",
  shift: "shift/open", "manage-tills": "tills",
};
export const mayView = ({ name, arg }) => (name === "history" ? seesAllHistory() || Boolean(arg)
  : !(name in NEEDED) || may(NEEDED[name]));

const fields = () => [
  h("p", role() === "seller" ? words.cashier : words.owner),
  draft("consent.problem", null) && problemBox(draft("consent.problem")),
  h("div.form",
    field("consent.name", say.login.cashier),
    passwordField("consent.password", say.login.password)),
];

/**
 * Asks the cashier to confirm a call, and a second person for their name and password. Returns
 * whether the server accepted both.
 */
export async function confirmedBySecond(verb, subject, title, lines, action) {
  const actions = [[null, say.cancel], [true, action, "strong bad"]];
  for (;;) {
    const isConfirmed = await question(title, lines, actions, "bad", false, fields);
    const who = { cashier: typed("consent.name"), password: draft("consent.password") };
    // A password must not stay on a shared screen.
    setDraft("consent.password", "");
    try {
      if (isConfirmed) await consent(who, verb, subject);
      discardDrafts("consent.name", "consent.password", "consent.problem");
      return Boolean(isConfirmed);
    } catch (problem) {
      setDraft("consent.problem", problem);
    }
  }
}
