import type { Json } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { BusReply } from './pending-requests.ts';

type Handler = (payload: Json) => void;
type Answerer = (payload: Json) => Json | Promise<Json>;

/** The subscribers and responders of this process. Errors of a handler are logged and affect no other. */
export class LocalHandlers {
  readonly #log: Logger;
  readonly #handlers = new Map<string, Set<{ readonly call: Handler }>>();
  readonly #answerers = new Map<string, Answerer>();
  #posted: { subject: string; payload: Json }[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Returns a function that unsubscribes. */
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
      throw new Error(`${subject} already has a responder`);
    }
    this.#answerers.set(subject, answerer);
    return () => {
      if (this.#answerers.get(subject) === answerer) this.#answerers.delete(subject);
    };
  }

  /** Asynchronous, so that a handler that publishes cannot overtake the current message. */
  post(subject: string, payload: Json): void {
    if (!this.#handlers.has(subject)) return;
    if (this.#posted.length === 0) queueMicrotask(() => this.#deliverPosted());
    this.#posted.push({ subject, payload });
  }

  deliver(subject: string, payload: Json): void {
    const handlers = this.#handlers.get(subject);
    if (handlers === undefined) return;
    for (const handler of Array.from(handlers)) {
      // Another handler may have closed it.
      if (!handlers.has(handler)) continue;
      try {
        handler.call(payload);
      } catch (error) {
        this.#log.error({ err: error, subject }, 'bus message handler failed');
      }
    }
  }

  answers(subject: string): boolean {
    return this.#answerers.has(subject);
  }

  /** Undefined: no responder here. */
  async answer(subject: string, payload: Json): Promise<BusReply | undefined> {
    const answerer = this.#answerers.get(subject);
    if (answerer === undefined) return undefined;
    try {
      return { payload: await answerer(payload) };
    } catch (error) {
      this.#log.error({ err: error, subject }, 'bus request handler failed');
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
