/** The first of what an iteration yields, or all of it. */
export async function collect<T>(items: AsyncIterable<T>, limit = Infinity): Promise<T[]> {
  const found: T[] = [];
  if (limit <= 0) return found;
  for await (const item of items) {
    found.push(item);
    if (found.length >= limit) break;
  }
  return found;
}
