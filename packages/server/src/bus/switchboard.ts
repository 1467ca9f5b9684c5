import type { Json } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { Answer } from './questions.ts';

type Handler = (payload: Json) => void;
type Answerer = (payload: Json) => Json | Promise<Json>;

/** Who listens and who answers in this process. A handler that throws is logged and harms nobody else. */
export class Switchboard {
  readonly #log: Logger;
  readonly #handlers = new Map<string, Set<{ readonly call: Handler }>>();
  readonly #answerers = new Map<string, Answerer>();
  #posted: { subject: string; payload: Json }[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Returns how to end it: from then on the handler is not called any more. */
  subscribe(subject: string, call: Handler): () => void {
    const handlers = this.#handlers.get(subject) ?? new Set();
    const handler = { call };
    this.#handlers.set(subject, handlers.add(handler));
    return () => {
      handlers.delete(handler);
      if (handlers.size === 0 && this.#handlers.get(subject) === handlers) {
        this.#handlers.delete(subject);
      }
    };
  }

  answerWith(subject: string, answerer: Answerer): () => void {
    if (this.#answerers.has(subject)) {
      throw new Error(`${subject} is answered already: one answer to a request is enough`);
    }
    this.#answerers.set(subject, answerer);
    return () => {
      if (this.#answerers.get(subject) === answerer) this.#answerers.delete(subject);
    };
  }

  /** Not within the caller's turn: a handler that publishes must not overtake what is being delivered. */
  post(subject: string, payload: Json): void {
    if (!this.#handlers.has(subject)) return;
    if (this.#posted.length === 0) queueMicrotask(() => this.#deliverPosted());
    this.#posted.push({ subject, payload });
  }

  deliver(subject: string, payload: Json): void {
    const handlers = this.#handlers.get(subject);
    if (handlers === undefined) return;
    for (const handler of Array.from(handlers)) {
      // One of the others may have closed it just now.
      if (!handlers.has(handler)) continue;
      try {
        handler.call(payload);
      } catch (error) {
        this.#log.error({ err: error, subject }, 'a handler of bus messages failed');
      }
    }
  }

  answers(subject: string): boolean {
    return this.#answerers.has(subject);
  }

  /** Undefined when nobody here answers on the subject. */
  async answer(subject: string, payload: Json): Promise<Answer | undefined> {
    const answerer = this.#answerers.get(subject);
    if (answerer === undefined) return undefined;
    try {
      return { payload: await answerer(payload) };
    } catch (error) {
      this.#log.error({ err: error, subject }, 'a request on the bus could not be answered');
      return { failed: true };
    }
  }

  clear(): void {
    this.#handlers.clear();
    this.#answerers.clear();
    this.#posted = [];
  }

  #deliverPosted(): void {
    const posted = this.#posted;
    this.#posted = [];
    for (const { subject, payload } of posted) this.deliver(subject, payload);
  }
}
