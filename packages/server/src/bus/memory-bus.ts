import type { Json } from '@chatd/protocol';
import type { Logger } from 'pino';
import { type Bus, BusClosed, newStats, type RequestOptions, type Subscription } from './bus.ts';
import { PendingRequests } from './pending-requests.ts';
import { LocalHandlers } from './local-handlers.ts';

/** For a deployment of one process. Nothing is lost, so there are no gaps. */
export class MemoryBus implements Bus {
  readonly stats = newStats();
  readonly #handlers: LocalHandlers;
  readonly #requests = new PendingRequests();
  #closed = false;

  constructor(log: Logger) {
    this.#handlers = new LocalHandlers(log);
  }

  publish(subject: string, payload: Json): void {
    if (this.#closed) return;
    this.stats.published += 1;
    this.#handlers.post(subject, payload);
  }

  async subscribe(subject: string, handler: (payload: Json) => void): Promise<Subscription> {
    if (this.#closed) throw new BusClosed();
    const end = this.#handlers.subscribe(subject, handler);
    return { close: async () => end() };
  }

  async request(subject: string, payload: Json, options: RequestOptions): Promise<Json> {
    if (this.#closed) throw new BusClosed();
    return await this.#requests.ask(subject, options, (id) => {
      void this.#answer(id, subject, payload);
    });
  }

  async answer(
    subject: string,
    handler: (payload: Json) => Json | Promise<Json>,
  ): Promise<Subscription> {
    if (this.#closed) throw new BusClosed();
    const end = this.#handlers.answerWith(subject, handler);
    return { close: async () => end() };
  }

  onGap(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#handlers.clear();
    this.#requests.giveUp();
  }

  async #answer(id: string, subject: string, payload: Json): Promise<void> {
    const answer = await this.#handlers.answer(subject, payload);
    if (answer !== undefined) this.#requests.settle(id, answer);
  }
}
