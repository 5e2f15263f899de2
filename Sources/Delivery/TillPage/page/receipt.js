// The receipt of an operation: shown, printed by the browser, or sent to the receipt printer.

import { call, OPERATION_LIMIT } from "./api.js";
import { h } from "./dom.js";
import { announce, question, toast } from "./notices.js";
import { change, draft, freshID, setDraft, state } from "./store.js";
import { say } from "./strings.js";
import { button, note } from "./ui.js";

const words = say.receipt;
const OUTCOME = "receipt.outcome";

const row = ({ text, fact, style }) => h("p", { class: style }, h("span", text),
  fact !== null && h("span", fact));

/** Sends the receipt to the receipt printer. A repeated request prints nothing. */
async function print(of) {
  const tell = (text, tone) => {
    setDraft(OUTCOME, { text, tone });
    announce(text, tone === "bad");
  };
  setDraft(OUTCOME, { text: words.printing, isBusy: true });
  try {
    const { copy } = await call("POST", "receipt", { of, operation: freshID() }, OPERATION_LIMIT);
    tell(copy ? words.copied : words.printed, "good");
  } catch (problem) {
    tell(problem.detail, "bad");
  }
}

const paper = (operation, rows) => [
  h("div.paper", rows.map(row)),
  draft(OUTCOME, null) && note(draft(OUTCOME).text, "info", draft(OUTCOME).tone),
  h("div.row",
    state.settings.printsReceipts && button(words.print, () => print(operation),
      { sign: "receipt", disabled: Boolean(draft(OUTCOME, null)?.isBusy) }),
    button(words.browser, () => window.print(), { tone: "quiet" })),
];

/** Shows the receipt of a recorded operation. */
export async function showReceipt(operation) {
  try {
    const { rows } = await call("GET", `receipt/${operation}`);
    setDraft(OUTCOME, null);
    await question(words.title, [], [[null, say.close]], "receipt", false,
      () => paper(operation, rows));
  } catch (problem) {
    toast(problem.detail, "bad");
  }
}

/** The banner that says that the receipt printer does not work. Payments do. */
export const printerBanner = ({ printer }) => printer?.state === "failed"
  && h("div.banner.warn", h("p", h("strong", words.failed), " ", words.unaffected));

/** Follows what the server says about the receipt printer. */
export function followPrinter(printer) {
  if (printer?.state === "failed" && state.printer?.state !== "failed") {
    announce(`${words.failed} ${words.unaffected}`, true);
  }
  change({ printer });
}
