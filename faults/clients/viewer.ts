import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.ts';
import { type EventLine, type LineOptions, openLine } from './event-line.ts';
import { View } from './view.ts';

export interface ViewerOptions {
  readonly api: Api;
  readonly chatId: string;
  /** Where to connect next; any replica unless told. */
  readonly chooseUrl?: () => string | undefined;
  /** A client that flaps: so many events after each connection it vanishes, and comes back. */
  readonly leaveAfter?: (connection: number) => number;
  /** How long it stays away then, in milliseconds; not at all unless told. */
  readonly stayAway?: () => number;
  /** How it connects; by Server-Sent Events unless told. */
  readonly open?: (line: LineOptions, connection: number) => EventLine;
}

const PAUSE_MS = 50;

/** A client that follows a chat, and comes back with its cursor whenever its connection ends. */
export class Viewer {
  readonly chatId: string;
  readonly view = new View();
  /** Answers to a connection that were neither a stream nor a 503. */
  readonly refusals: string[] = [];
  connections = 0;
  /** Somebody deletes the chat, and brings it back: meanwhile it is not there. */
  mayBeDeleted = false;
  readonly #options: ViewerOptions;
  readonly #following: Promise<void>;
  #line: EventLine | undefined;
  #closed = false;
  #waiting: (() => void)[] = [];

  constructor(options: ViewerOptions) {
    this.#options = options;
    this.chatId = options.chatId;
    this.#following = this.#follow();
  }

  /** Resolves when the view fits; how long that may take is for the caller to say. */
  async until(fits: (view: View) => boolean, signal: AbortSignal): Promise<boolean> {
    while (!fits(this.view)) {
      if (signal.aborted || this.#closed) return false;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
    }
    return true;
  }

  pause(): void {
    this.#line?.pause();
  }

  resume(): void {
    this.#line?.resume();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#line?.drop();
    this.#wake();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { api, chatId, chooseUrl = () => api.nextUrl() } = this.#options;
    const { leaveAfter, stayAway, open = openLine } = this.#options;
    while (!this.#closed) {
      const url = chooseUrl();
      if (url !== undefined) {
        this.connections += 1;
        const before = this.view.events;
        const leaveAt = before + (leaveAfter?.(this.connections) ?? Number.POSITIVE_INFINITY);
        const line: LineOptions = {
          url,
          chatId,
          headers: api.headers,
          cursor: this.view.cursor,
          onEvent: (event) => {
            this.view.apply(event, Date.now());
            if (this.view.events >= leaveAt) this.#line?.drop();
            this.#wake();
          },
        };
        this.#line = open(line, this.connections);
        const { refused, problem } = await this.#line.ended;
        const isExpected = refused === 503 || (refused === 404 && this.mayBeDeleted);
        if (refused !== undefined && !isExpected) this.refusals.push(`${refused} ${problem}`);
        if (this.view.events >= leaveAt) await sleep(stayAway?.() ?? 0);
        if (this.view.events > before) continue;
      }
      await sleep(PAUSE_MS);
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
