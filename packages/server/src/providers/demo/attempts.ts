import { createHash } from 'node:crypto';
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { Clock } from '@chatd/loop';

/** A prompt that nobody has tried for so long starts again at the first failure. */
const FORGOTTEN_MS = 5 * 60_000;
const MOST = 1_000;

/**
 * How often a prompt was tried. A call does not say which attempt it is, so attempts are known by their
 * prompt. Two chats with the same prompt share a count and another process starts at zero: either may then
 * see a failure more or less, and both get their answer.
 */
export class Attempts {
  readonly #clock: Clock;
  readonly #seen = new Map<string, { count: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts from 0, and forgets the prompt when `last` was reached: the next time it fails again. */
  next(prompt: LanguageModelV4Prompt, last: number): number {
    const key = createHash('sha256').update(JSON.stringify(prompt)).digest('base64');
    const now = this.#clock.now();
    const seen = this.#seen.get(key);
    const count = seen === undefined || now - seen.at > FORGOTTEN_MS ? 0 : seen.count;
    // Set anew, so that the map is in the order of use.
    this.#seen.delete(key);
    if (count < last) this.#seen.set(key, { count: count + 1, at: now });
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= MOST) break;
      this.#seen.delete(oldest);
    }
    return count;
  }
}
