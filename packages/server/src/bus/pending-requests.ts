import type { Json } from '@chatd/protocol';
import { NoAnswer, type RequestOptions } from './bus.ts';

export type BusReply = { readonly payload: Json } | { readonly failed: true };

interface PendingRequest {
  settle(answer: BusReply): void;
  giveUp(): void;
}

/** Requests that wait for a reply. The first one counts. */
export class PendingRequests {
  readonly #open = new Map<string, PendingRequest>();
  #count = 0;

  async ask(
    subject: string,
    { timeoutMs, signal }: RequestOptions,
    send: (id: string) => void,
  ): Promise<Json> {
    signal?.throwIfAborted();
    const id = (this.#count += 1).toString(36);
    const { promise, resolve, reject } = Promise.withResolvers<Json>();
    const giveUp = () => reject(new NoAnswer(subject));
    const abort = () => reject(signal?.reason);
    const timer = setTimeout(giveUp, timeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    this.#open.set(id, {
      settle: (answer) => ('failed' in answer ? giveUp() : resolve(answer.payload)),
      giveUp,
    });
    try {
      send(id);
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      this.#open.delete(id);
    }
  }

  /** Ignores replies to requests that have timed out. */
  settle(id: string, answer: BusReply): void {
    this.#open.get(id)?.settle(answer);
  }

  giveUp(): void {
    for (const question of this.#open.values()) question.giveUp();
  }
}
