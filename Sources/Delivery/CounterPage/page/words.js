// How amounts, times and numbers read. Amounts are decimal strings, reckoned in whole minor units.

import { draft, state } from "./store.js";
import { say } from "./strings.js";

const grouped = new Intl.NumberFormat("en");
const dateFormat = (options) => new Intl.DateTimeFormat("en-GB", options);
const moment = dateFormat({ dateStyle: "medium", timeStyle: "short" });
const weekday = dateFormat({ dateStyle: "full", timeZone: "UTC" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const decimals = () => state.settings?.decimals ?? 2;

/** "-1234.50" as people see it. */
export function shown(amount) {
  const parts = /^(-?)(\d+)(\.\d+)?$/.exec(amount ?? "");
  if (!parts) return amount ?? say.none;
  const [, minus, whole, fraction = "."] = parts;
  return (minus && "\u2212") + (state.settings?.symbol ?? "") + grouped.format(BigInt(whole))
    + (decimals() > 0 ? fraction.padEnd(decimals() + 1, "0") : "");
}

export function minorUnits(amount) {
  const [whole, fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(decimals(), "0"));
}

const languageUsesComma =
  new Intl.NumberFormat(navigator.languages).format(0.5).includes(",");
const usesComma = () => languageUsesComma || state.settings?.decimalSeparator === ",";

/** An amount as somebody here would type it. */
export const typeable = (amount) => (usesComma() ? amount.replace(".", ",") : amount);

/** What is typed in this field, with a point, as the server takes it. */
export function typedAmount(id) {
  const text = draft(id).trim();
  return usesComma() ? text.replace(/^(\d+),(\d+)$/, "$1.$2") : text;
}

/** An amount to write alike. */
export const example = (verb) => typeable(state.settings?.presets[verb][1] ?? "");

/** What is wrong with a typed amount, in the server's words; null where nothing is. */
export function fault(text) {
  const places = decimals();
  const comma = /^(\d+),(\d+)$/.exec(text);
  const parts = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (text.startsWith("-")) return say.amount.negative(text);
  if (comma && comma[2].length <= places) return say.amount.comma(text, text.replace(",", "."));
  if (!parts) {
    return say.amount.malformed(text, typeable(places ? "4.5".padEnd(places + 2, "0") : "450"));
  }
  if (parts[2]?.length > places) return say.amount.precise(text, state.settings.currency, places);
  return minorUnits(text) === 0n ? say.amount.zero(shown("0")) : null;
}

/** What this tap has settled besides, in words; what was asked for itself is told anyway. */
export const settledWords = (settled = [], operation) => settled
  .filter((each) => each.operation !== operation)
  .map(({ kind, amount, outcome }) => say.fromBefore(
    [say.verbs[kind]?.[0] ?? kind, amount && shown(amount.replace("-", ""))].filter(Boolean)
      .join(", "),
    outcome === "committed" ? say.verbs[kind]?.[1] : null));

/** What is to be handed out because of what a tap has settled; null where nothing is. */
export function settledPayOut(settled = []) {
  const due = settled.filter(({ outcome }) => outcome === "committed")
    .map(({ kind, amount, closed }) => closed
      ?? (["close", "reverse"].includes(kind) ? amount.replace("-", "") : "0"));
  return due.find((amount) => minorUnits(amount) !== 0n) ?? null;
}

/** What leaves the drawer because of what was done; null where nothing does. */
export function handOut({ id, verb, answer }) {
  const before = (answer.settled ?? []).filter(({ operation }) => operation !== id);
  return handOutFor({ verb, answer }) ?? settledPayOut(before);
}

function handOutFor({ verb, answer }) {
  const { amount, closed, prizes = [] } = answer;
  const paid = prizes.find(({ paidOut }) => paidOut)?.amount;
  const isTaken = ["close", "refund"].includes(verb) && amount.startsWith("-");
  const due = isTaken ? amount.slice(1) : verb === "ticket/claim" ? paid : closed;
  return due && minorUnits(due) !== 0n ? due : null;
}

export const timeWords = (iso) => moment.format(new Date(iso));
/** A calendar day such as a draw's is the same one everywhere. */
export const dayWords = (date) => weekday.format(new Date(date));

export function today() {
  const now = new Date();
  return dayText(now.getFullYear(), now.getMonth(), now.getDate());
}

export function dayAfter(date, shift) {
  const [year, month, day] = date.split("-").map(Number);
  return dayText(year, month - 1, day + shift);
}

const dayText = (...parts) => new Date(Date.UTC(...parts)).toISOString().slice(0, 10);

export function ageWords(seconds) {
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? units[3];
  return relative.format(-Math.floor(seconds / size), unit);
}

/** A card's number in pairs, easier to compare with a printed one. */
export const uidWords = (uid) => uid.replace(/(..)(?=.)/g, "$1\u00a0");
