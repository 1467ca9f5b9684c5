/** Pseudorandom numbers from 0 (inclusive) to 1 (exclusive), determined by the seed. */
export type Random = () => number;

/** Mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An integer from `least` to `most`, inclusive. */
export const between = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));

export function oneOf<T>(random: Random, all: readonly T[]): T {
  const chosen = all[Math.floor(random() * all.length)];
  if (chosen === undefined) throw new Error('the list is empty');
  return chosen;
}
