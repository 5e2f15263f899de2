// Tells the customer's display what the till page shows: see display.html.

import { call } from "./api.js";
import { isEmpty, shownLines, total } from "./cart.js";
import { onChange, state } from "./store.js";

const NOTHING = { lines: [], sum: null };
let wanted = NOTHING;
let sent = JSON.stringify(NOTHING);
let isSending = false;

/**
 * Shows these lines, each with a name, a quantity, and a price, and their sum to the customer. A
 * sum of null shows that there is no sale.
 */
export function tellCustomer(sale) {
  wanted = sale;
  send();
}

/** Sends the newest sale. Sales that were changed while a request was running are left out. */
async function send() {
  const text = JSON.stringify(wanted);
  if (isSending || text === sent || state.link !== "live" || !state.session) return;
  isSending = true;
  sent = text;
  try {
    await call("POST", "display", wanted);
  } catch {
    // The display is no part of the sale. The next change is sent again.
    sent = null;
  }
  isSending = false;
  if (sent !== null) send();
}

/** Shows the sale as the cashier changes it. */
onChange(({ route }) => {
  const sale = route.name === "home" && !isEmpty();
  tellCustomer(sale ? { lines: shownLines(), sum: total() } : NOTHING);
});
