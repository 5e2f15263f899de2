// The ledger's products as this page has loaded them.

import { state } from "./store.js";

/** The products that are not retired. */
export const products = () => (state.data.products?.value?.products ?? [])
  .filter(({ retired }) => !retired);

/** The products by group and position, as the tiles show them. */
export const groups = () => Map.groupBy(
  [...products()].sort((one, other) => one.position - other.position),
  ({ group }) => group ?? "");

export const productOf = (id) => (id ? products().find((each) => each.id === id) : null);

/** The products that are deposits of others, and can be returned. */
export const deposits = () => {
  const ids = new Set(products().map(({ deposit }) => deposit));
  return products().filter(({ id }) => ids.has(id));
};
