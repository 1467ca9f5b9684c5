import type { Part, Retry, Role } from '@chatd/protocol';
import type { HistoryMessage } from './history/message.ts';
import { mergeParts } from './merge-parts.ts';

/** Output of a running turn. It is provisional; only committed messages count. */
export type LiveEvent =
  | { type: 'part'; role: Role; part: Part }
  /** Discard the parts since the last commit: their attempt failed. */
  | { type: 'reset' }
  /** The parts since the last commit were committed as these messages. */
  | { type: 'committed'; messages: readonly HistoryMessage[] }
  | { type: 'retry'; retry: Retry };

export type Publish = (event: LiveEvent) => void;

/** A sink that throws is not called again; the turn continues. */
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

/** Live parts as an async iterable. For a slow reader, adjacent deltas are merged. */
export class LiveParts implements AsyncIterable<LiveEvent> {
  #queue: LiveEvent[] = [];
  #wake: (() => void) | undefined;
  #closed = false;
  /** The reader is gone; nothing is buffered for it. */
  #left = false;

  readonly publish: Publish = (event) => {
    if (this.#left) return;
    const last = this.#queue.at(-1);
    const merged = last && mergeEvents(last, event);
    if (merged === undefined) this.#queue.push(event);
    else this.#queue[this.#queue.length - 1] = merged;
    this.#wake?.();
  };

  /** Ends the iteration after everything was read. */
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

/** Merges two deltas of the same part. Undefined if they are not. */
function mergeEvents(a: LiveEvent, b: LiveEvent): LiveEvent | undefined {
  if (a.type !== 'part' || b.type !== 'part' || a.role !== b.role) return undefined;
  const part = mergeParts(a.part, b.part);
  return part && { ...a, part };
}
