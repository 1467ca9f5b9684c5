/** The items of an iteration, up to `limit`. */
export async function toArray<T>(items: AsyncIterable<T>, limit = Infinity): Promise<T[]> {
  const found: T[] = [];
  if (limit <= 0) return found;
  for await (const item of items) {
    found.push(item);
    if (found.length >= limit) break;
  }
  return found;
}
