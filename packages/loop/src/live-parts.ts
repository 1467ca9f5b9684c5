import type { Part, Retry, Role } from '@chatd/protocol';
import type { HistoryMessage } from './history/message.ts';
import { mergeParts } from './merge-parts.ts';

/** What goes out while a turn runs. None of it is truth: that is what is committed. */
export type LiveEvent =
  | { type: 'part'; role: Role; part: Part }
  /** Forget the parts since the last commit: their attempt failed. */
  | { type: 'reset' }
  /** The parts since the last commit are these messages now. */
  | { type: 'committed'; messages: readonly HistoryMessage[] }
  | { type: 'retry'; retry: Retry };

export type Publish = (event: LiveEvent) => void;

/** A sink that fails is left alone from then on; the turn does not notice. */
export function shielded(publish: Publish | undefined): Publish {
  let open = publish;
  return (event) => {
    try {
      open?.(event);
    } catch {
      open = undefined;
    }
  };
}

/** Live parts as an async iterable. A reader that is behind finds adjacent deltas merged. */
export class LiveParts implements AsyncIterable<LiveEvent> {
  #queue: LiveEvent[] = [];
  #wake: (() => void) | undefined;
  #closed = false;
  /** The reader has gone: nothing is kept for it. */
  #left = false;

  readonly publish: Publish = (event) => {
    if (this.#left) return;
    const last = this.#queue.at(-1);
    const merged = last && mergeEvents(last, event);
    if (merged === undefined) this.#queue.push(event);
    else this.#queue[this.#queue.length - 1] = merged;
    this.#wake?.();
  };

  /** Ends the iteration once everything was read. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveEvent> {
    try {
      for (;;) {
        const event = this.#queue.shift();
        if (event !== undefined) {
          yield event;
          continue;
        }
        if (this.#closed) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
        this.#wake = undefined;
      }
    } finally {
      this.#left = true;
      this.#queue = [];
    }
  }
}

/** Two deltas of the same thing as one; undefined when they are not. */
function mergeEvents(a: LiveEvent, b: LiveEvent): LiveEvent | undefined {
  if (a.type !== 'part' || b.type !== 'part' || a.role !== b.role) return undefined;
  const part = mergeParts(a.part, b.part);
  return part && { ...a, part };
}
