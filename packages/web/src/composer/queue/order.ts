/** The list with one of its items at another place. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const item = items[from];
  if (item === undefined) return [...items];
  return items.toSpliced(from, 1).toSpliced(to, 0, item);
}

/** Items in an order that was wished for; those that it does not name come last, those that are gone do not come. */
export function inOrder<T extends { readonly id: number }>(
  items: readonly T[],
  wished: readonly number[] | undefined,
): readonly T[] {
  if (wished === undefined) return items;
  const placeOf = ({ id }: T) => {
    const place = wished.indexOf(id);
    return place === -1 ? wished.length : place;
  };
  return items.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** Where something that is dragged to `y` belongs, by the middles of the rows. */
export const placeAt = (middles: readonly number[], y: number): number =>
  middles.filter((middle) => middle < y).length;
