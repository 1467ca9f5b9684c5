export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const item = items[from];
  if (item === undefined) return [...items];
  return items.toSpliced(from, 1).toSpliced(to, 0, item);
}

/** Items in the requested order. Items that it does not name come last. */
export function inOrder<T extends { readonly id: number }>(
  items: readonly T[],
  wished: readonly number[] | undefined,
): readonly T[] {
  if (wished === undefined) return items;
  const placeOf = ({ id }: T) => {
    const position = wished.indexOf(id);
    return position === -1 ? wished.length : position;
  };
  return items.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** The index for an item dragged to `y`, by the centers of the rows. */
export const placeAt = (middles: readonly number[], y: number): number =>
  middles.filter((middle) => middle < y).length;
