/** Generates text with the word frequencies of natural language, reproducible by seed. */

const VOCABULARY = 60_000;
const CONSONANTS = 'bcdfghjklmnprstvwz';
const VOWELS = 'aeiou';

export type Random = () => number;

/** mulberry32 */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export class Corpus {
  /** By rank, most common first. */
  readonly words: readonly string[];
  readonly #cumulative: Float64Array;

  constructor() {
    this.words = Array.from({ length: VOCABULARY }, (_, rank) => wordOf(rank));
    this.#cumulative = new Float64Array(VOCABULARY);
    let sum = 0;
    for (let rank = 0; rank < VOCABULARY; rank += 1) {
      sum += 1 / (rank + 2.7);
      this.#cumulative[rank] = sum;
    }
  }

  text(random: Random, words: number): string {
    const chosen: string[] = [];
    for (let count = 0; count < words; count += 1) chosen.push(this.#word(random));
    return chosen.join(' ');
  }

  #word(random: Random): string {
    const wanted = random() * (this.#cumulative.at(-1) ?? 0);
    let low = 0;
    let high = VOCABULARY - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#cumulative[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return this.words[low] ?? '';
  }
}

/** A unique pronounceable word for a number. */
function wordOf(rank: number): string {
  let rest = rank;
  let word = '';
  do {
    word += (CONSONANTS[rest % 18] ?? '') + (VOWELS[Math.floor(rest / 18) % 5] ?? '');
    rest = Math.floor(rest / 90);
  } while (rest > 0);
  return word;
}
