import type { Row } from './rows.ts';

/**
 * Reuses the previous row objects, and the previous list, where nothing changed, so that only changed rows render
 * again.
 */
export class KeptRows {
  #rows: readonly Row[] = [];

  readonly keep = (made: readonly Row[]): readonly Row[] => {
    const before = this.#rows;
    const known = new Map(before.map((row) => [row.key, row]));
    const rows = made.map((row) => {
      const same = known.get(row.key);
      return same !== undefined && isSame(same, row) ? same : row;
    });
    const unchanged = rows.length === before.length && rows.every((row, at) => row === before[at]);
    if (!unchanged) this.#rows = rows;
    return this.#rows;
  };
}

function isSame(a: Row, b: Row): boolean {
  const held = new Map<string, unknown>(Object.entries(a));
  const entries = Object.entries(b);
  return held.size === entries.length && entries.every(([name, value]) => held.get(name) === value);
}
