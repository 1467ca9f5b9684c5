import { createHash } from 'node:crypto';
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { Clock } from '@chatd/loop';

/** After this time without an attempt, the count for a prompt starts again. */
const FORGOTTEN_MS = 5 * 60_000;
const MAX = 1_000;

/**
 * Counts the attempts for a prompt. Calls do not carry an attempt number, so prompts identify them. Chats with the same
 * prompt share a count, and other processes start at zero: such chats may see one failure more or less.
 */
export class Attempts {
  readonly #clock: Clock;
  readonly #seen = new Map<string, { count: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts at 0. Forgets the prompt when `last` is reached, so that it fails again the next time. */
  next(prompt: LanguageModelV4Prompt, last: number): number {
    const key = createHash('sha256').update(JSON.stringify(prompt)).digest('base64');
    const now = this.#clock.now();
    const seen = this.#seen.get(key);
    const count = seen === undefined || now - seen.at > FORGOTTEN_MS ? 0 : seen.count;
    // Inserted again, so that the map is in order of use.
    this.#seen.delete(key);
    if (count < last) this.#seen.set(key, { count: count + 1, at: now });
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= MAX) break;
      this.#seen.delete(oldest);
    }
    return count;
  }
}
