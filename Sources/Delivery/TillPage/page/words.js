// Formats amounts, times, and numbers. Amounts are decimal strings; calculations use whole minor
// units.

import { draft, state } from "./store.js";
import { say } from "./strings.js";

// With a decimal comma, a no-break space separates groups, because 1 500,00 is unambiguous.
const GROUP = { ".": ",", ",": "\u00a0" };
const dateFormat = (options) => new Intl.DateTimeFormat("en-GB", options);
const moment = dateFormat({ dateStyle: "medium", timeStyle: "short" });
const date = dateFormat({ dateStyle: "medium", timeZone: "UTC" });
const weekday = dateFormat({
  weekday: "long", day: "numeric", month: "short", year: "numeric", timeZone: "UTC",
});
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export const decimals = () => state.settings?.decimals ?? 2;
const symbol = () => state.settings?.symbol ?? "";
export const separator = () => state.settings?.decimalSeparator ?? ".";

/** An amount such as "-1234.50" in the station's notation, which the whole page uses. */
export function shown(amount) {
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount ?? "");
  if (!parts) return amount ?? say.none;
  const [, minus, whole, fraction = ""] = parts;
  // Groups of three digits, counted from the decimal separator.
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, GROUP[separator()]);
  return (minus && "\u2212") + symbol() + grouped
    + (decimals() > 0 ? separator() + fraction.padEnd(decimals(), "0") : "");
}

const escaped = (text) => text.replace(/[$\\^*+?.()|[\]{}]/g, "\\$&");

/** Text from the server, with its amounts in the page's notation. */
export function withShown(text) {
  if (!symbol()) return text;
  const amounts = new RegExp(`${escaped(symbol())}(\\d[\\d.,\\u00a0]*\\d|\\d)`, "g");
  // Text that only looks like an amount, with too many or too few decimals, stays unchanged.
  const isPlain = new RegExp(decimals() > 0 ? `^\\d+\\.\\d{${decimals()}}$` : "^\\d+$");
  return text.replace(amounts, (whole, amount) => (isPlain.test(amount) ? shown(amount) : whole));
}

/** A BigInt, because a JavaScript number is exact only up to 2^53. */
export function minorUnits(amount) {
  const [whole, fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(decimals(), "0"));
}

/** The amount of typed digits. Without a separator, they are minor units: 350 is 3.50. */
export function entryUnits(typed) {
  const [whole, fraction] = typed.split(".");
  return fraction === undefined ? BigInt(whole || 0) : minorUnits(`${whole || 0}.${fraction}`);
}

/** The amount of this many minor units, in the server's format. */
export function amountOf(units) {
  const sign = units < 0n ? "-" : "";
  const digits = String(units).replace("-", "").padStart(decimals() + 1, "0");
  const place = digits.length - decimals();
  return decimals() > 0 ? `${sign}${digits.slice(0, place)}.${digits.slice(place)}` : sign + digits;
}

const languageUsesComma =
  new Intl.NumberFormat(navigator.languages).format(0.5).includes(",");
const takesComma = () => languageUsesComma || separator() === ",";

/** An amount as users of this station type it. */
export const typeable = (amount) => amount.replace(".", separator());

// Group separators are accepted only before decimals; 1,500 is ambiguous and refused.
const groups = () => (separator() === "," ? /^\d{1,3}(?:\.\d{3})+(?=,)/
  : /^\d{1,3}(?:,\d{3})+(?=\.)/);

/**
 * Typed or copied text, converted to a decimal point and no group separators. A comma before
 * exactly two final digits is a decimal comma, as on the command line: see fixtures/amounts.txt.
 */
function plain(typed) {
  const bare = typed.startsWith(symbol()) ? typed.slice(symbol().length) : typed;
  // Copied amounts may have spaces between groups.
  const text = bare.replace(/(?<=\d)[ \u00a0\u202f](?=\d{3}(?!\d))/g, "");
  const [group] = groups().exec(text) ?? [];
  const single = group ? group.replace(/\D/g, "") + text.slice(group.length) : text;
  return single.replace(takesComma() ? /^(\d*),(\d+)$/ : /^(\d*),(\d\d)$/, "$1.$2")
    .replace(/^(?=\.\d)/, "0");
}

/** The value of a field in the server's format. */
export const typedAmount = (id) => plain(draft(id).trim());

/** What is wrong with a typed amount, worded like the server's refusals; null if it is valid. */
export function fault(typed) {
  const wrong = faultOf(plain(typed.trim()));
  return wrong && wrong(typed.trim());
}

function faultOf(text) {
  const places = decimals();
  const comma = /^(\d+),(\d+)$/.exec(text);
  const parts = /^(\d+)(?:\.(\d+))?$/.exec(text);
  const better = typeable(text.replace(",", "."));
  const alike = typeable(places ? "4.5".padEnd(places + 2, "0") : "450");
  if (text.startsWith("-")) return say.amount.negative;
  if (comma && comma[2].length <= places) return (typed) => say.amount.comma(typed, better);
  if (!parts) return (typed) => say.amount.malformed(typed, alike);
  if (parts[2]?.length > places) {
    return (typed) => say.amount.precise(typed, state.settings.currency, places);
  }
  return minorUnits(text) === 0n ? () => say.amount.zero : null;
}

/** What happened to the operations that this tap resolved, other than the requested one. */
export const resolvedWords = (resolved = [], operation) => resolved
  .filter((each) => each.operation !== operation)
  .map(({ kind, amount, outcome }) => {
    const [name, , noun = name.toLowerCase()] = say.verbs[kind] ?? [kind];
    const movesMoney = Boolean(amount) && minorUnits(amount) !== 0n;
    const what = movesMoney ? `${shown(amount.replace("-", ""))} ${noun}` : noun;
    return say.earlierOutcome(what, outcome === "committed", movesMoney);
  });

/** The balance after a task. For payments, the wording is how much is left. */
export const balanceWords = ({ verb, answer }, amount) =>
  (["pay", "ticket/buy"].includes(verb) && answer?.amount?.startsWith("-")
    ? say.panel.left : say.panel.balance)(shown(amount));

/** The cash to pay out for the operations that a tap resolved; null if there is none. */
export function resolvedPayOut(resolved = []) {
  const due = resolved.filter(({ outcome }) => outcome === "committed")
    .map(({ kind, amount, closed }) => closed
      ?? (["close", "reverse"].includes(kind) ? amount.replace("-", "") : "0"));
  return due.find((amount) => minorUnits(amount) !== 0n) ?? null;
}

/** The cash to pay out after a task; null if there is none. */
export function cashToPayOut({ id, verb, answer, paidBy = "cash" }) {
  const before = (answer.resolved ?? []).filter(({ operation }) => operation !== id);
  return (paidBy === "cash" ? handOutFor({ verb, answer }) : null) ?? resolvedPayOut(before);
}

function handOutFor({ verb, answer }) {
  const { amount, closed, prizes = [] } = answer;
  if (answer.kind === "undo") {
    return answer.tender === "cash" && answer.paid.startsWith("-") ? answer.paid.slice(1) : null;
  }
  const paid = prizes.find(({ paidOut }) => paidOut)?.amount;
  const isTaken = ["close", "refund"].includes(verb) && amount.startsWith("-");
  const due = isTaken ? amount.slice(1) : verb === "ticket/claim" ? paid : closed;
  return due && minorUnits(due) !== 0n ? due : null;
}

/** What the offline ledger means for payments. */
export const offlineWords = ({ offered, left }) =>
  (offered && minorUnits(left) > 0n
    ? say.offlinePayments.offline(shown(left)) : say.offlinePayments.stale);

export const timeWords = (iso) => moment.format(new Date(iso));
export const dateWords = (iso) => date.format(new Date(iso));
/** A calendar day, such as the day of a draw, which does not depend on the time zone. */
export const dayWords = (date) => weekday.format(new Date(date));

export function today() {
  const now = new Date();
  return dayText(now.getFullYear(), now.getMonth(), now.getDate());
}

export function dayAfter(date, shift) {
  const [year, month, day] = date.split("-").map(Number);
  return dayText(year, month - 1, day + shift);
}

// This uses UTC, in which all days have 24 hours. Day 0 becomes the last day of the previous month.
const dayText = (...parts) => new Date(Date.UTC(...parts)).toISOString().slice(0, 10);

/** The age in the largest unit that is not longer than the age, such as "3 hours ago". */
export function ageWords(seconds) {
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? units[3];
  return relative.format(-Math.floor(seconds / size), unit);
}

/** A chip's name as users know it; it is stored as "NTAG424". */
export const chipWords = (chip) => chip?.replace("NTAG424", "NTAG 424");

/** A card's number in pairs, which are easier to compare with a printed number. */
export const uidWords = (uid) => uid.replace(/(..)(?=.)/g, "$1\u00a0");
