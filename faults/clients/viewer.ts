import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.ts';
import { type StreamConnection, type StreamOptions, openSseStream } from './sse-stream.ts';
import { View } from './view.ts';

export interface ViewerOptions {
  readonly api: Api;
  readonly chatId: string;
  /** The URL of the next connection. Default: any replica. */
  readonly chooseUrl?: () => string | undefined;
  /** Number of events after which the viewer disconnects. Default: unlimited. */
  readonly disconnectAfter?: (connection: number) => number;
  /** Delay before it reconnects, in milliseconds. Default: 0. */
  readonly reconnectDelay?: () => number;
  /** Opens a connection. Default: SSE. */
  readonly open?: (options: StreamOptions, connection: number) => StreamConnection;
}

const PAUSE_MS = 50;

/** A client that follows a chat and reconnects with its cursor when a connection ends. */
export class Viewer {
  readonly chatId: string;
  readonly view = new View();
  /** Responses other than a stream or 503. */
  readonly refusals: string[] = [];
  connections = 0;
  /** 404 is expected: the chat is deleted and restored during the run. */
  mayBeDeleted = false;
  readonly #options: ViewerOptions;
  readonly #following: Promise<void>;
  #connection: StreamConnection | undefined;
  #closed = false;
  #waiting: (() => void)[] = [];

  constructor(options: ViewerOptions) {
    this.#options = options;
    this.chatId = options.chatId;
    this.#following = this.#follow();
  }

  /** Resolves to true when the view matches, to false when `signal` aborts. */
  async until(matches: (view: View) => boolean, signal: AbortSignal): Promise<boolean> {
    // One listener for all waits: adding one takes longer the more there are.
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake);
    try {
      while (!matches(this.view)) {
        if (signal.aborted || this.#closed) return false;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#waiting.push(resolve);
        await promise;
      }
      return true;
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  pause(): void {
    this.#connection?.pause();
  }

  resume(): void {
    this.#connection?.resume();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#connection?.drop();
    this.#wake();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { api, chatId, chooseUrl = () => api.nextUrl() } = this.#options;
    const { disconnectAfter, reconnectDelay, open = openSseStream } = this.#options;
    while (!this.#closed) {
      const url = chooseUrl();
      if (url !== undefined) {
        this.connections += 1;
        const before = this.view.events;
        const disconnectAt = before + (disconnectAfter?.(this.connections) ?? Infinity);
        const stream: StreamOptions = {
          url,
          chatId,
          headers: api.headers,
          cursor: this.view.cursor,
          onEvent: (event) => {
            this.view.apply(event, Date.now());
            if (this.view.events >= disconnectAt) this.#connection?.drop();
            this.#wake();
          },
        };
        this.#connection = open(stream, this.connections);
        const { refused, problem } = await this.#connection.ended;
        const isExpected = refused === 503 || (refused === 404 && this.mayBeDeleted);
        if (refused !== undefined && !isExpected) this.refusals.push(`${refused} ${problem}`);
        if (this.view.events >= disconnectAt) await sleep(reconnectDelay?.() ?? 0);
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
