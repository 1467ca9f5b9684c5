import type { Json } from '@chatd/protocol';
import type { Logger } from 'pino';
import { type Bus, BusClosed, newStats, type RequestOptions, type Subscription } from './bus.ts';
import { Questions } from './questions.ts';
import { Switchboard } from './switchboard.ts';

/** For a deployment of one process. Nothing is lost, so there are no gaps. */
export class MemoryBus implements Bus {
  readonly stats = newStats();
  readonly #switchboard: Switchboard;
  readonly #questions = new Questions();
  #closed = false;

  constructor(log: Logger) {
    this.#switchboard = new Switchboard(log);
  }

  publish(subject: string, payload: Json): void {
    if (this.#closed) return;
    this.stats.published += 1;
    this.#switchboard.post(subject, payload);
  }

  async subscribe(subject: string, handler: (payload: Json) => void): Promise<Subscription> {
    if (this.#closed) throw new BusClosed();
    const end = this.#switchboard.subscribe(subject, handler);
    return { close: async () => end() };
  }

  async request(subject: string, payload: Json, options: RequestOptions): Promise<Json> {
    if (this.#closed) throw new BusClosed();
    return await this.#questions.ask(subject, options, (id) => {
      void this.#answer(id, subject, payload);
    });
  }

  async answer(
    subject: string,
    handler: (payload: Json) => Json | Promise<Json>,
  ): Promise<Subscription> {
    if (this.#closed) throw new BusClosed();
    const end = this.#switchboard.answerWith(subject, handler);
    return { close: async () => end() };
  }

  onGap(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#switchboard.clear();
    this.#questions.giveUp();
  }

  async #answer(id: string, subject: string, payload: Json): Promise<void> {
    const answer = await this.#switchboard.answer(subject, payload);
    if (answer !== undefined) this.#questions.settle(id, answer);
  }
}
