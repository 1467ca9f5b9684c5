/** The index of the first repeated value, or -1. */
export function duplicateIndex(values: readonly unknown[]): number {
  const seen = new Set<unknown>();
  return values.findIndex((value) => seen.size === seen.add(value).size);
}
