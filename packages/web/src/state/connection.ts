import { type Clock, sleep, systemClock } from '@chatd/protocol/clock';
import { onlineManager } from '@tanstack/react-query';
import { apiPath, sessionFetch } from '../api/client.ts';
import { Cell, type ReadableCell } from './cell.ts';

/** The server does not answer. */
interface Outage {
  /** Failed attempts to reach it. */
  readonly attempt: number;
  /** The time of the next attempt, in milliseconds since the Unix epoch. */
  readonly until: number;
}

/** What tabs tell each other. */
type Notice = { readonly outage: Outage } | 'restored' | 'retry';

/** A connection that is kept open, such as a stream. */
interface KeptConnection {
  /** The time of the next attempt after several failed ones. Null: connected, or not lost for long. */
  readonly lost: ReadableCell<number | null>;
  readonly reconnectNow: () => void;
}

const NAME = 'chatd.connection';
const FIRST_MS = 1000;
const LONGEST_MS = 15_000;
const ANSWER_MS = 10_000;
/** After the time of the next attempt, a tab that probes and says nothing is suspended. */
const SILENT_MS = ANSWER_MS + 5000;
/** Shorter interruptions are not shown. */
const SHOWN_ATTEMPT = 2;

/**
 * The connection to the server, shared by everything that uses it. During an outage, one tab of the browser asks the
 * server, with growing delays, and the others hear the result.
 */
class ServerConnection {
  readonly #clock: Clock = systemClock;
  readonly #channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(NAME) : undefined;
  readonly #kept = new Set<KeptConnection>();
  readonly #outage = new Cell<Outage | null>(null);
  readonly #lost = new Cell<number | null>(null);
  #restored: Promise<void> | undefined;
  #heardRestored = new AbortController();
  #skipWait = new AbortController();
  /** This tab asks the server for all. */
  #probes = false;

  constructor() {
    this.#channel?.addEventListener('message', ({ data }) => this.#hear(data as Notice));
    addEventListener('online', this.retryNow);
    // The tab that asks the server may be in the background, where browsers delay timers.
    addEventListener('focus', () => {
      if (!this.isUp()) this.retryNow();
    });
    this.#outage.subscribe(() => {
      // Queries wait until it is over.
      onlineManager.setOnline(this.isUp());
      this.#show();
    });
  }

  /** The time of the next attempt. Null: connected. Short interruptions are not reported. */
  get lost(): ReadableCell<number | null> {
    return this.#lost;
  }

  isUp(): boolean {
    return this.#outage.get() === null;
  }

  /** Resolves when the server answers: now, or after the outage. */
  readonly restored = (): Promise<void> => {
    this.#restored ??= this.#untilRestored().finally(() => (this.#restored = undefined));
    return this.#restored;
  };

  readonly retryNow = (): void => {
    this.#skipWait.abort();
    this.#tell('retry');
    if (!this.isUp() && !this.#probes) void this.#ask();
    for (const { lost, reconnectNow } of this.#kept) if (lost.get() !== null) reconnectNow();
  };

  /** Reports the connection as lost while this one is. The returned function ends that. */
  keep(connection: KeptConnection): () => void {
    this.#kept.add(connection);
    const stop = connection.lost.subscribe(() => this.#show());
    return () => {
      stop();
      this.#kept.delete(connection);
      this.#show();
    };
  }

  async #untilRestored(): Promise<void> {
    if (await answers()) return;
    const heard = new AbortController();
    this.#heardRestored = heard;
    this.#outage.set({ attempt: 1, until: this.#clock.now() + FIRST_MS });
    void this.#watchOthers(heard);
    await alone(heard.signal, () => this.#probe(heard.signal));
    heard.abort();
    this.#outage.set(null);
  }

  /** Browsers may suspend the tab that probes, with its lock. */
  async #watchOthers({ signal }: AbortController): Promise<void> {
    for (;;) {
      await sleep(this.#clock, SILENT_MS, signal).catch(() => undefined);
      const { attempt, until } = this.#outage.get() ?? { attempt: 0, until: 0 };
      if (signal.aborted) return;
      if (this.#probes || this.#clock.now() < until + SILENT_MS) continue;
      this.#outage.set({ attempt: attempt + 1, until: this.#clock.now() });
      await this.#ask();
    }
  }

  /** For a tab that does not probe. */
  async #ask(): Promise<void> {
    const heard = this.#heardRestored;
    if (!(await answers())) return;
    this.#tell('restored');
    heard.abort();
  }

  async #probe(heard: AbortSignal): Promise<void> {
    this.#probes = true;
    try {
      await this.#untilAnswer(heard);
    } finally {
      this.#probes = false;
    }
  }

  async #untilAnswer(heard: AbortSignal): Promise<void> {
    for (let attempt = this.#outage.get()?.attempt ?? 1; !heard.aborted; attempt += 1) {
      const delay =
        Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2);
      const outage = { attempt, until: this.#clock.now() + delay };
      this.#outage.set(outage);
      this.#tell({ outage });
      this.#skipWait = new AbortController();
      const ends = AbortSignal.any([heard, this.#skipWait.signal]);
      await sleep(this.#clock, delay, ends).catch(() => undefined);
      if (!(await answers())) continue;
      this.#tell('restored');
      return;
    }
  }

  #hear(notice: Notice): void {
    if (notice === 'restored') this.#heardRestored.abort();
    else if (notice === 'retry') this.#skipWait.abort();
    else if (!this.isUp()) this.#outage.set(notice.outage);
  }

  #tell(notice: Notice): void {
    this.#channel?.postMessage(notice);
  }

  #show(): void {
    const outage = this.#outage.get();
    const isShown = outage !== null && outage.attempt >= SHOWN_ATTEMPT;
    const lost = [...this.#kept].map((kept) => kept.lost.get()).find((until) => until !== null);
    this.#lost.set(isShown ? outage.until : (lost ?? null));
  }
}

/** A proxy may answer for a server that is down. A session that has ended is reported by the fetch function. */
async function answers(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    return (await sessionFetch(apiPath('/users/me'), { signal, cache: 'no-store' })).status < 500;
  } catch {
    return false;
  }
}

/** Runs `work` in one tab at a time, where the browser can coordinate them. Resolves without it if aborted. */
async function alone(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  // Only on secure origins.
  const locks = (navigator as { locks?: LockManager }).locks;
  if (locks === undefined) return await work();
  try {
    await locks.request(NAME, { signal }, work);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

export const connection = new ServerConnection();
