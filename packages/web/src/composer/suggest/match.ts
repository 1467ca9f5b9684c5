/** The match quality: lower is better; undefined is no match. */
function rank(query: string, name: string, words: string): number | undefined {
  if (name.startsWith(query)) return 0;
  if (name.includes(query)) return 1;
  return words.includes(query) ? 2 : undefined;
}

/** Items that match by name or other words, best first, otherwise in the given order. */
export function matching<T>(
  items: readonly T[],
  query: string,
  named: (item: T) => { readonly name: string; readonly words: string },
): T[] {
  const wanted = query.toLowerCase();
  return items
    .flatMap((item) => {
      const { name, words } = named(item);
      const found = rank(wanted, name.toLowerCase(), words.toLowerCase());
      return found === undefined ? [] : [{ item, found }];
    })
    .sort((one, other) => one.found - other.found)
    .map(({ item }) => item);
}
