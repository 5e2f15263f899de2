// What the sale at the till contains: its lines, the typed amount, and their sum.

import { productOf } from "./catalog.js";
import { change, payingCard, state } from "./store.js";
import { say } from "./strings.js";
import { amountOf, entryUnits, minorUnits } from "./words.js";

export const alter = (values) => change({ sale: { ...state.sale, ...values } });
/** Whether the view is the one for top-ups. */
export const isTopUp = () => state.route.name === "add";
export const entryName = () =>
  (isTopUp() ? "topUp" : state.sale.tender === "cash" ? "given" : "entry");
export const entry = () => state.sale[entryName()];

const linesUnits = (lines) =>
  lines.reduce((sum, { price, quantity }) => sum + minorUnits(price) * BigInt(quantity), 0n);

/** The deposit of the product whose price has been typed but not added yet. */
const askedDeposit = () => (entryUnits(state.sale.entry) === 0n ? 0n
  : minorUnits(productOf(state.sale.asked?.deposit)?.price ?? "0"));

/** The amount due, or in the view for top-ups, the amount to add. */
export const totalUnits = () => (isTopUp() ? entryUnits(state.sale.topUp)
  : entryUnits(state.sale.entry) + askedDeposit() + linesUnits(state.sale.lines));
export const total = () => amountOf(totalUnits());

/** The lines as the customer sees them, with the price of each line. */
export const shownLines = () => state.sale.lines.map(({ name, price, quantity }) =>
  ({ name, quantity, price: amountOf(minorUnits(price) * BigInt(quantity)) }));

/** All lines of the sale, with the typed amount as the last one. */
export function allLines() {
  const { lines, entry: typed } = state.sale;
  return entryUnits(typed) === 0n ? lines : [...lines, otherLine(entryUnits(typed))];
}

/** A line for an amount without a product. */
export const otherLine = (units) =>
  ({ product: null, name: say.sale.other, price: amountOf(units), quantity: 1 });

/** The smallest amount that can be paid in cash. */
export const cashStep = () => minorUnits(state.settings?.cashStep ?? "0") || 1n;

/**
 * The part of the sale to pay with this tender because the card's balance does not cover it; null
 * if none. In cash, it is an amount that coins can make, and the card keeps the difference.
 */
export function uncovered(tender) {
  const balance = minorUnits(payingCard()?.balance ?? "0");
  if (balance <= 0n || totalUnits() <= balance) return null;
  const step = tender === "cash" ? cashStep() : 1n;
  const rest = ((totalUnits() - balance + step - 1n) / step) * step;
  return rest < totalUnits() ? amountOf(rest) : null;
}

/** Whether there is nothing to pay, and nothing to cancel. */
export const isEmpty = () => (isTopUp() ? !state.sale.topUp
  : !state.sale.entry && state.sale.lines.length === 0 && !state.sale.asked);
